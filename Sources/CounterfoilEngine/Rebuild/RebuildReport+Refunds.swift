// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilDatabase
import CounterfoilStore

// Whether what is known of refunds was taken back, and by transfers that say so.
extension RebuildReport {
    /// What the refund of a grant's sale should have done by what is known of its transactions.
    mutating func refund(
        of grant: GrantRecord, _ frozen: [Goods], _ record: TransactionRecord?,
        in transaction: any ReadTransaction
    ) throws -> RefundedGoods {
        var revoked: [TransactionRecord] = []
        if let record {
            revoked = try transaction.transactions(
                grant.sale.app, grant.sale.environment, ofSale: grant.sale.key,
                limit: Limits.transactionsPerOriginal
            ).filter { $0.ends(record) }
        }
        let revisions = try transaction.laterGrants(of: grant.sale)
        let refund = RefundedGoods(
            frozen: frozen
                + CreditOffset.goods(of: try transaction.credits(of: grant.sale)),
            quantity: grant.quantity,
            revisions: revisions.map { $0.frozenGoods ?? [] }, share: RefundShare(of: revoked))
        if grant.isHandedOut, !refund.change.isEmpty {
            add(
                Difference(
                    "grants", grant.sale.words,
                    expected: ["refund": .array(refund.change.map(\.json))], stored: nil))
        }
        return refund
    }

    /// Compares what a later revision of a grant says with what moved, and with what its event told.
    mutating func compareChange(
        _ grant: GrantRecord, _ goods: [Goods], in transaction: any ReadTransaction
    ) throws {
        var expected: [String: JSONValue] = [:]
        var stored: [String: JSONValue] = [:]
        let transfers = try transaction.transfers(of: grant.sale, revision: grant.revision)
        for case .unit(let unit, let amount, let bonus, .counterfoil) in goods {
            let issued = DerivedID.account(
                grant.sale.app, grant.sale.environment, customer: nil, unit, .issued)
            let moved = transfers.reduce(0) { $0 - ($1.entries[issued] ?? 0) }
            let key = "\(grant.sale.words), revision \(grant.revision), \(unit)"
            expected[key] = .integer(amount + bonus)
            stored[key] = .integer(moved)
        }
        compare("transfers", expected: expected, stored: stored)
        let told = try [EventType.grantReversed, .grantRestored].compactMap { type in
            try transaction.eventBody(
                DerivedID.of(grant.sale, "event:\(type.rawValue)", revision: grant.revision))
        }
        let key = "of change \(grant.grantID)"
        compare(
            "events", expected: [key: grant.goodsJSON],
            stored: told.count == 1 && told.first?.customer == grant.customer
                ? [key: Self.goods(toldBy: told[0].body)] : [:])
    }

    private static func goods(toldBy body: String) -> JSONValue {
        // Damage is a finding, not a failure.
        let value = try? JSONValue(parsing: body.utf8)
        return value?["data"]?["goods"] ?? .null
    }
}
