// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilDatabase
import CounterfoilStore

// Whether what is known of refunds was taken back, and by transfers that say so.
extension RebuildReport {
    /// What the refund of a grant's sale should have done by what is known of its transactions; and when
    /// the sale was made.
    mutating func refund(
        of grant: GrantRecord, _ frozen: [Goods], _ record: TransactionRecord,
        in transaction: any ReadTransaction
    ) throws -> (goods: RefundedGoods, boughtAt: Instant) {
        let sale = try transaction.sale(grant.sale)
        let type = sale.flatMap { SaleType(rawValue: $0.type) }
        let family = try transaction.family(
            of: record, type.map { .known($0) } ?? .unknown(.unknownType))
        let standing = family.standing(
            ofSale: grant.sale.key, givenFor: grant.transactionID)
        let revisions = try transaction.laterGrants(of: grant.sale)
        let refund = RefundedGoods(
            frozen: frozen
                + CreditOffset.goods(of: try transaction.credits(of: grant.sale)),
            quantity: grant.quantity,
            revisions: revisions.map { $0.frozenGoods ?? [] }, share: standing?.share)
        if grant.isHandedOut, !refund.change.isEmpty {
            add(
                Difference(
                    "grants", grant.sale.words,
                    expected: ["refund": .array(refund.change.map(\.json))], stored: nil))
        }
        if grant.state == .parked, let share = standing?.share, !share.leavesUnits,
            try transaction.credits(of: grant.sale).isEmpty
        {
            add(
                Difference(
                    "grants", grant.sale.words, expected: ["state": "withdrawn"],
                    stored: ["state": .string(grant.state.rawValue)]))
        }
        return (refund, standing?.boughtAt ?? record.identity.value.purchaseDate)
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
        let change = try transaction.refunds(of: grant.sale)
            .first { $0.revision == grant.revision }
        let told = try [EventType.grantReversed, .grantRestored].compactMap { type in
            try change.flatMap {
                try transaction.eventBody(DerivedID.of($0, "event:\(type.rawValue)"))
            }
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
