// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilDatabase

extension Schema {
    /// An account of one unit. System accounts have no customer and no stored balance, since every
    /// purchase would wait for that one row; their balance is the sum of their entries.
    static let accounts = Table(
        "accounts",
        columns: [
            .uniqueID("account_id"), .app, .environment, .customerKey.nullable,
            .text("unit", maximum: UnitKind.maximumByteCount), .word("kind"),
            .integer("balance").nullable,
        ],
        primaryKey: ["account_id"], indexes: [.init(["customer_key", "app", "environment"])],
        checks: ["(kind <> 'paid' AND kind <> 'bonus' AND kind <> 'held') OR balance >= 0"])

    /// One movement of a unit between two accounts; never changed.
    static let transfers = Table(
        "transfers",
        columns: [
            .uniqueID("transfer_id"), .app, .environment,
            .text("unit", maximum: UnitKind.maximumByteCount),
            .integer("amount"), .word("kind"), .sale.nullable, .integer("revision").nullable,
            .createdAt,
        ],
        primaryKey: ["transfer_id"], indexes: [.init(["app", "environment", "sale"])],
        checks: ["amount > 0"])

    /// The two sides of a transfer; they add up to zero.
    static let entries = Table(
        "entries",
        columns: [.uniqueID("account_id"), .uniqueID("transfer_id"), .integer("amount")],
        primaryKey: ["account_id", "transfer_id"], indexes: [.init(["transfer_id"])],
        checks: ["amount <> 0"], layout: .keyed)

    /// The periods from which a customer's entitlements follow, one per sale and right. Derived:
    /// it can be rebuilt from sales, transactions and grants.
    static let entitlementPeriods = Table(
        "entitlement_periods",
        columns: [
            .app, .environment, .customerKey,
            .text("entitlement", maximum: EntitlementKind.maximumByteCount), .sale, .productID,
            .transactionID("transaction_id"), .instant("purchase_date"), .integer("quantity"),
            .word("duration").nullable, .boolean("is_revoked"),
            .instant("starts_at"), .instant("ends_at").nullable,
        ],
        primaryKey: ["app", "environment", "customer_key", "entitlement", "sale"],
        indexes: [.init(["app", "environment", "sale"])])

    /// Published changes. `number` orders what readers see; the sequence has no gaps per customer.
    static let events = Table(
        "events",
        columns: [
            .uniqueID("event_id"), .app, .environment, .customerKey.nullable, .uniqueID("epoch"),
            .integer("sequence").nullable, .integer("number").nullable, .word("type"),
            .text("body", maximum: Limits.event), .createdAt,
        ],
        primaryKey: ["event_id"],
        uniqueKeys: [
            ["app", "environment", "customer_key", "epoch", "sequence"], ["app", "number"],
        ])
}
