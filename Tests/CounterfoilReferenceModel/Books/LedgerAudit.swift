// SPDX-License-Identifier: Apache-2.0

/// Promise P4: the ledger balances, in itself and with its lots.
struct LedgerAudit {
    private let books: Books
    private(set) var findings: [String] = []

    init(_ books: Books) {
        self.books = books
        checkEntries()
        checkBalances()
        checkLots()
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
            let isRight = account.kind == "debt" ? sum <= 0 : sum >= 0
            if account.balance != sum || !isRight {
                findings.append("P4: the entries of \(account) add up to \(sum)")
            }
        }
    }

    /// What is left of a lot is what came less what was taken, and a balance is what is left of its lots.
    private mutating func checkLots() {
        let uses = Dictionary(grouping: books.lotUses) { "\($0.account) \($0.lot)" }
        for lot in books.lots {
            let used = (uses["\(lot.account) \(lot.id)"] ?? []).reduce(0) { $0 + $1.amount }
            if lot.amount - used != lot.remaining || lot.remaining < 0 {
                findings.append("P4: \(used) was taken of the lot \(lot)")
            }
        }
        let lots = Dictionary(grouping: books.lots, by: \.account)
        for account in books.accounts where ["paid", "bonus", "debt"].contains(account.kind) {
            let left = (lots[account.id] ?? []).reduce(0) { $0 + $1.remaining }
            if account.balance != (account.kind == "debt" ? -left : left) {
                findings.append("P4: the lots of \(account) hold \(left)")
            }
        }
    }
}
