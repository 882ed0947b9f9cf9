// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilDatabase
import CounterfoilStore

// Whether every transaction was settled: that it has its sale, the sale its identities and its grant.
extension RebuildReport {
    mutating func compareTransactions(_ page: RebuildPage) throws -> PageEnd? {
        let (standings, end) = try page.transaction.transactionStandings(
            after: page.after, limit: page.limit)
        count(.transactions, standings.count)
        for standing in standings {
            if let sale = standing.sale {
                compare(standing, with: sale)
                try compareGrant(of: sale, standing, in: page.transaction)
            } else if !standing.isParked, !standing.isRevoked {
                add(
                    Difference(
                        "transactions", standing.words,
                        expected: "a sale, or a reason to wait", stored: "neither"))
            }
        }
        return end
    }

    mutating func compareSales(_ page: RebuildPage) throws -> PageEnd? {
        let (sales, end) = try page.transaction.sales(after: page.after, limit: page.limit)
        count(.sales, sales.count)
        for (sale, type) in sales {
            guard let type = SaleType(rawValue: type) else {
                add(
                    Difference(
                        "sales", sale.words, expected: "a sale of a known type",
                        stored: .string(type)))
                continue
            }
            for identity in SaleKey.identities(of: sale.key, type: type) {
                let holder = try page.transaction.saleKey(
                    sale.app, sale.environment, identity: identity)
                compare(
                    "sale_keys", expected: ["\(sale.words), \(identity)": .string(sale.key)],
                    stored: ["\(sale.words), \(identity)": .optional(holder)])
            }
        }
        return end
    }

    private mutating func compare(_ standing: TransactionStanding, with sale: SaleReference) {
        if !standing.hasSale {
            add(Difference("sales", sale.words, expected: standing.cause("the sale"), stored: nil))
        }
        let own = "t:\(standing.transactionID)"
        if sale.key.hasPrefix("t:"), sale.key != own {
            add(
                Difference(
                    "transactions", standing.words, expected: ["sale": .string(own)],
                    stored: ["sale": .string(sale.key)]))
        }
    }

    /// Every sale has a grant, be it one that waits, but for what was refunded before we saw it.
    private mutating func compareGrant(
        of sale: SaleReference, _ standing: TransactionStanding, in transaction: any ReadTransaction
    ) throws {
        if standing.mayHaveNothing {
            guard standing.grantHasGoods == nil else { return }
            // It may have been refunded after its goods were handed out, which an event tells.
            let kind = DerivedID.kind(of: .purchaseFulfilled, isSecondStep: false)
            let id = DerivedID.of(sale, kind, revision: 0)
            guard try transaction.hasEvent(id) else { return }
        }
        guard let hasGoods = standing.grantHasGoods else {
            let cause = standing.cause("the grant")
            return add(Difference("grants", sale.words, expected: cause, stored: nil))
        }
        if !hasGoods, !standing.isParked, !standing.mayHaveNothing {
            add(
                Difference(
                    "grants", sale.words, expected: standing.cause("frozen goods"),
                    stored: ["goods": .null]))
        }
    }
}

extension TransactionStanding {
    fileprivate var words: String { "\(app), \(environment.rawValue), \(transactionID)" }

    fileprivate func cause(_ what: String) -> JSONValue {
        .string("\(what) of transaction \(transactionID)")
    }

    /// Whether a refund may have come before the purchase was settled. A refunded copy of a
    /// non-consumable ends the others.
    fileprivate var mayHaveNothing: Bool {
        isRevoked || (isFamilyRevoked && sale?.key.hasPrefix("o:") ?? false)
    }
}
