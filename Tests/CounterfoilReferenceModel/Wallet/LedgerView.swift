// SPDX-License-Identifier: Apache-2.0

/// The ledger's rows by whose they are, with lots by where they came from.
struct LedgerView {
    struct Lot: Hashable, CustomStringConvertible {
        let source: String
        let account: String
        let amount: Int64
        let left: Int64
        let expires: Int64?

        var description: String {
            "\(account) of \(source): \(left) of \(amount)"
                + (expires.map { " until \($0)" } ?? "")
        }
    }

    struct Hold: Hashable, CustomStringConvertible {
        let id: String
        let amount: Int64
        let state: String
        let posted: Int64

        var description: String { "hold \(id): \(amount) \(state) \(posted)" }
    }

    /// What one customer has of one unit.
    struct Standing: Hashable {
        var lots: Set<Lot> = []
        var holds: Set<Hold> = []
        var balance = Purse.Balance()
    }

    private(set) var standings: [Wallets.Place: Standing] = [:]
    private(set) var lotIDs: [Wallets.Place: [String: String]] = [:]
    private let accounts: [String: Books.Account]
    private let sides: [String: [Books.Entry]]

    init(_ books: Books) {
        accounts = Dictionary(uniqueKeysWithValues: books.accounts.map { ($0.id, $0) })
        sides = Dictionary(grouping: books.entries, by: \.transfer)
        for account in books.accounts {
            guard let place = Self.place(of: account) else { continue }
            let amount = account.balance ?? 0
            switch account.kind {
            case "paid": standings[place, default: .init()].balance.paid = amount
            case "bonus": standings[place, default: .init()].balance.bonus = amount
            case "held": standings[place, default: .init()].balance.held = amount
            default: standings[place, default: .init()].balance.debt = -amount
            }
        }
        for lot in books.lots {
            guard let account = accounts[lot.account], let place = Self.place(of: account)
            else { continue }
            let source = lot.sale ?? ""
            lotIDs[place, default: [:]]["\(source) \(account.kind)"] = lot.id
            standings[place, default: .init()].lots.insert(
                Lot(
                    source: source, account: account.kind, amount: lot.amount,
                    left: lot.remaining, expires: lot.expires))
        }
        for hold in books.holds {
            let place = Wallets.Place(
                environment: hold.environment, customer: hold.customer, unit: hold.unit)
            standings[place, default: .init()].holds.insert(
                Hold(id: hold.id, amount: hold.amount, state: hold.state, posted: hold.posted))
        }
    }

    private static func place(of account: Books.Account) -> Wallets.Place? {
        account.customer.map {
            Wallets.Place(environment: account.environment, customer: $0, unit: account.unit)
        }
    }

    /// The wallet that a transfer changes.
    func place(of transfer: Books.Transfer) -> Wallets.Place? {
        (sides[transfer.id] ?? []).lazy.compactMap { accounts[$0.account] }
            .compactMap { Self.place(of: $0) }.first
    }

    func move(_ transfer: Books.Transfer) -> Purse.Move {
        let sides = sides[transfer.id] ?? []
        func kind(_ isFit: (Int64) -> Bool) -> String {
            sides.first { isFit($0.amount) }.flatMap { accounts[$0.account]?.kind } ?? "nothing"
        }
        return Purse.Move(
            kind: transfer.kind, from: kind { $0 < 0 }, to: kind { $0 > 0 },
            amount: transfer.amount)
    }
}

extension Purse {
    var standing: LedgerView.Standing {
        var standing = LedgerView.Standing(balance: balance)
        for lot in lots {
            standing.lots.insert(
                LedgerView.Lot(
                    source: lot.source, account: lot.kind.rawValue, amount: lot.amount,
                    left: lot.left, expires: lot.expires))
        }
        for debt in debts {
            standing.lots.insert(
                LedgerView.Lot(
                    source: debt.source, account: "debt", amount: debt.amount, left: debt.open,
                    expires: nil))
        }
        for (id, hold) in holds {
            standing.holds.insert(
                LedgerView.Hold(
                    id: id, amount: hold.amount, state: hold.state, posted: hold.posted))
        }
        return standing
    }
}

extension Wallets {
    /// Holds the movements of the commit against what it did.
    mutating func compareMoves(_ commit: WalletCommit, _ ledger: LedgerView) {
        var moved: [String: Int] = [:]
        for transfer in commit.transfers {
            let place = ledger.place(of: transfer)
            moved[
                place.map { "\($0) \(ledger.move(transfer))" } ?? "nobody's \(transfer)",
                default: 0] += 1
        }
        var owed: [String: Int] = [:]
        for place in purses.keys {
            for move in purses[place]?.takeMoves() ?? [] {
                owed["\(place) \(move)", default: 0] += 1
                tally["\(move.kind) \(move.from)>\(move.to)", default: 0] += 1
            }
        }
        for line in Set(moved.keys).union(owed.keys).sorted() {
            let (count, want) = (moved[line] ?? 0, owed[line] ?? 0)
            if count > want { findings.append("P1: moved \(count) times, owed \(want): \(line)") }
            if count < want { findings.append("P2: moved \(count) times, owed \(want): \(line)") }
        }
    }

    /// Holds everybody's lots, debts, holds and balances against the books.
    mutating func compareStandings(_ ledger: LedgerView) {
        for place in Set(purses.keys).union(ledger.standings.keys) {
            let (wanted, found) = (
                purses[place]?.standing ?? .init(), ledger.standings[place] ?? .init()
            )
            guard wanted != found else { continue }
            if wanted.balance != found.balance {
                findings.append("P4: \(place) has \(found.balance), expected \(wanted.balance)")
            }
            let lines = { (standing: LedgerView.Standing) in
                Set(standing.lots.map(\.description)).union(standing.holds.map(\.description))
            }
            let (mine, theirs) = (lines(wanted), lines(found))
            findings += mine.subtracting(theirs).sorted().map { "P4: \(place) lacks \($0)" }
            findings += theirs.subtracting(mine).sorted().map { "P4: \(place) has too many: \($0)" }
        }
    }
}
