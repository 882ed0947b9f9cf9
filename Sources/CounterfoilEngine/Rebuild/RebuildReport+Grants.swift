// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilDatabase
import CounterfoilStore

// What each grant gave, to whom and for what.
extension RebuildReport {
    mutating func compareGrants(_ page: RebuildPage) throws -> PageEnd? {
        let (grants, end) = try page.transaction.grants(after: page.after, limit: page.limit)
        count(.grants, grants.count)
        for grant in grants { try compare(grant, in: page.transaction) }
        return end
    }

    private mutating func compare(
        _ grant: GrantRecord, in transaction: any ReadTransaction
    ) throws {
        let words = grant.sale.words
        guard let goods = grant.frozenGoods else {
            let damaged = JSONValue.string(grant.goods ?? "")
            return add(
                Difference("grants", words, expected: "readable goods", stored: damaged))
        }
        if try transaction.sale(grant.sale) == nil {
            add(Difference("sales", words, expected: "the sale of a grant", stored: nil))
        }
        let change = try transaction.refunds(of: grant.sale)
            .first { $0.revision == grant.revision }
        let id =
            change.map { DerivedID.of($0, "grant") }
            ?? DerivedID.of(grant.sale, "grant", revision: grant.revision)
        let hasGoods = grant.state.waits || grant.goods != nil
        compare(
            "grants",
            expected: [words: ["grant_id": .string(id.description), "is_complete": true]],
            stored: [
                words: [
                    "grant_id": .string(grant.grantID.description), "is_complete": .bool(hasGoods),
                ]
            ])
        guard grant.revision == 0 else {
            return try compareChange(grant, goods, in: transaction)
        }
        let record = try transaction.transaction(
            grant.sale.app, grant.sale.environment, grant.transactionID)
        if let record {
            try compare(grant, with: record, in: transaction)
        } else {
            add(
                Difference(
                    "transactions", "\(words): \(grant.transactionID)",
                    expected: "the transaction of a grant", stored: nil))
        }
        try compare(goods, of: grant, record, in: transaction)
        try compareEvents(of: grant, goods, in: transaction)
    }

    /// What a grant took over from its transaction when its goods were frozen.
    private mutating func compare(
        _ grant: GrantRecord, with record: TransactionRecord, in transaction: any ReadTransaction
    ) throws {
        guard grant.isHandedOut else { return }
        var owner = try record.owner.map { try transaction.current($0) }
        let customer = try grant.customer.map { try transaction.current($0) }
        // What came while two customers were one came to the target, and stays there.
        if let source = record.owner, let target = grant.customer,
            try transaction.wasMerged(source, into: target)
        {
            owner = customer
        }
        let identity = record.identity.value
        let words = grant.sale.words
        compare(
            "grants",
            expected: [
                words: [
                    "customer": .optional(owner?.description),
                    "product_id": .string(identity.productID.rawValue),
                    "quantity": .integer(identity.quantity),
                ]
            ],
            stored: [
                words: [
                    "customer": .optional(customer?.description),
                    "product_id": .string(grant.productID.rawValue),
                    "quantity": .integer(grant.quantity),
                ]
            ])
    }

    /// Compares the transfers and the rights of one grant; where the rights lie in time is another
    /// question.
    private mutating func compare(
        _ goods: [Goods], of grant: GrantRecord, _ record: TransactionRecord?,
        in transaction: any ReadTransaction
    ) throws {
        var transfers: [StoredTransfer] = []
        var periods: [EntitlementPeriodRecord] = []
        if let customer = grant.customer {
            transfers = GrantTransfers.of(
                goods, sale: grant.sale, to: customer, at: grant.updatedAt
            ).map { StoredTransfer($0) }
            if let record {
                let (refund, boughtAt) = try refund(
                    of: grant, goods, record, in: transaction)
                periods = try RightHolders.of(grant.sale, in: transaction).flatMap { holder in
                    goods.compactMap { goods -> EntitlementPeriodRecord? in
                        var period = EntitlementPeriodRecord(
                            goods, record, of: grant.sale, to: holder, boughtAt: boughtAt)
                        period?.isRevoked = !refund.rightsStand
                        return period
                    }
                }
            }
        }
        let storedTransfers = try transaction.transfers(of: grant.sale, revision: grant.revision)
        compare(
            "transfers", expected: Dictionary(rows: transfers), stored: .init(rows: storedTransfers)
        )
        let storedPeriods = try transaction.entitlementPeriods(of: grant.sale)
        compare(
            "entitlement_periods", expected: Dictionary(rows: periods.map(\.unplaced)),
            stored: Dictionary(rows: storedPeriods.map(\.unplaced)))
    }

    // MARK: Events

    /// Compares what a grant gave with what its events told the customer's readers.
    private mutating func compareEvents(
        of grant: GrantRecord, _ goods: [Goods], in transaction: any ReadTransaction
    ) throws {
        guard grant.isHandedOut else { return }
        var told: JSONValue?
        if let first = try event(of: grant, isSecondStep: false, in: transaction) {
            let second = try event(of: grant, isSecondStep: true, in: transaction)
            told = .array(first + (second ?? []))
        }
        let key = "of grant \(grant.grantID)"
        compare(
            "events", expected: [key: .array(goods.map(\.json))],
            stored: told.map { [key: $0] } ?? [:]
        )
    }

    /// The goods in an event of a grant; nil where there is none of this customer's.
    private func event(
        of grant: GrantRecord, isSecondStep: Bool, in transaction: any ReadTransaction
    ) throws -> [JSONValue]? {
        let isRestored = grant.state == .deliveredElsewhere
        let kind = DerivedID.kind(
            of: isRestored ? .entitlementChanged : .purchaseFulfilled, isSecondStep: isSecondStep)
        let id = DerivedID.of(grant.sale, kind, revision: grant.revision)
        guard let event = try transaction.eventBody(id) else { return nil }
        if event.customer != grant.customer {
            // A merge came between two steps.
            guard let reader = event.customer, let customer = grant.customer,
                try transaction.wasMerged(reader, into: customer)
            else { return nil }
        }
        // Damage is a finding, not a failure.
        let body = try? JSONValue(parsing: event.body.utf8)
        return body?["data"]?["goods"]?.array ?? []
    }
}

extension GrantRecord {
    /// Whether its goods were frozen for a customer; where somebody else had delivered everything,
    /// there was nothing to freeze.
    var isHandedOut: Bool {
        goods != nil && (state != .deliveredElsewhere || frozenGoods?.isEmpty == false)
    }
}
