// SPDX-License-Identifier: Apache-2.0

/// Promises P1 and P4: the ledger follows from the grants and from nothing else, and it balances.
struct LedgerAudit {
    private let books: Books
    private(set) var findings: [String] = []

    init(_ books: Books) {
        self.books = books
        checkEntries()
        checkBalances()
        checkTransfers()
    }

    private mutating func checkEntries() {
        let entries = Dictionary(grouping: books.entries, by: \.transfer)
        let accounts = Dictionary(uniqueKeysWithValues: books.accounts.map { ($0.id, $0) })
        for transfer in books.transfers {
            let sides = entries[transfer.id] ?? []
            let amounts = sides.map(\.amount).sorted()
            if amounts != [-transfer.amount, transfer.amount] {
                findings.append("P4: transfer \(transfer) has the entries \(amounts)")
            }
            if sides.contains(where: { accounts[$0.account]?.unit != transfer.unit }) {
                findings.append("P4: transfer \(transfer) changes its unit")
            }
        }
        if entries.count != books.transfers.count {
            findings.append("P4: there are entries without a transfer")
        }
    }

    private mutating func checkBalances() {
        let entries = Dictionary(grouping: books.entries, by: \.account)
        for account in books.accounts where account.customer != nil {
            let sum = (entries[account.id] ?? []).reduce(0) { $0 + $1.amount }
            if account.balance != sum || sum < 0 {
                findings.append("P4: the entries of \(account) add up to \(sum)")
            }
        }
    }

    private struct Movement: Hashable {
        let place: Books.Place
        let customer: String?
        let unit: String
        let kind: String
        let amount: Int64
    }

    private mutating func checkTransfers() {
        let accounts = Dictionary(uniqueKeysWithValues: books.accounts.map { ($0.id, $0) })
        let receiving = Dictionary(
            books.entries.filter { $0.amount > 0 }.map { ($0.transfer, accounts[$0.account]) },
            uniquingKeysWith: { first, _ in first })
        let moved = books.transfers.map { transfer -> Movement in
            let account = receiving[transfer.id] ?? nil
            return Movement(
                place: transfer.place, customer: account?.customer, unit: transfer.unit,
                kind: account?.kind ?? "", amount: transfer.amount)
        }
        let owed = books.grants.flatMap { grant -> [Movement] in
            (grant.grant.goods ?? []).flatMap { good -> [Movement] in
                guard case .unit(let unit, let paid, let bonus, isOurs: true) = good else {
                    return []
                }
                // A refund goes back to the system, from each account for itself.
                let isBack = grant.revision > 0
                return [("paid", paid), ("bonus", bonus)].filter { $0.1 != 0 }.map {
                    Movement(
                        place: grant.place, customer: isBack ? nil : grant.grant.customer,
                        unit: unit, kind: isBack ? "issued" : $0.0, amount: abs($0.1))
                }
            }
        }
        compare(moved, owed)
    }

    private mutating func compare(_ moved: [Movement], _ owed: [Movement]) {
        let counts = moved.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        let wanted = owed.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        for movement in Set(counts.keys).union(wanted.keys) {
            let (count, want) = (counts[movement] ?? 0, wanted[movement] ?? 0)
            if count > want {
                findings.append("P1: moved \(count) times, owed \(want): \(movement)")
            }
            if count < want {
                findings.append("P2: moved \(count) times, owed \(want): \(movement)")
            }
        }
    }
}
