// SPDX-License-Identifier: Apache-2.0

package import CounterfoilCore
package import CounterfoilDatabase

extension Schema {
    /// Intents to buy, made before the payment. The ticket is kept as a digest only.
    package static let orders = Table(
        "orders",
        columns: [
            .orderID, .app, .customerKey, .environment, .productID, .integer("quantity"),
            .word("storefront").nullable, .uniqueID("account_token"),
            .integer("price_milli").nullable, .word("currency").nullable,
            .text("context", maximum: Limits.orderContext).nullable,
            .text("goods", maximum: Limits.goods), .word("catalogue_version"),
            .bytes("ticket_digest", maximum: 32), .word("state"),
            .word("closed_reason").nullable, .integer("revision"), .instant("open_until"),
            .transactionID("paid_by").nullable, .createdAt, .instant("updated_at"),
        ],
        primaryKey: ["order_id"],
        indexes: [
            .init(["app", "open_until"], where: "state IN ('open', 'pending')"),
            .init(["customer_key", "created_at"], where: "state IN ('open', 'pending')"),
            .init(["customer_key", "product_id", "open_until"], where: "paid_by IS NULL"),
        ])

    /// The order that a token names, that a transaction was paid for, whose goods a grant holds, and
    /// that a submission named.
    static let forOrders: [Migration.Step] = [
        .createTable(orders),
        .addColumn(Column.orderID.nullable, to: "account_tokens"),
        .addColumn(Column.orderID.nullable, to: "transactions"),
        .addColumn(Column.orderID.nullable, to: "grants"),
        .addColumn(.uniqueID("claimed_order_id").nullable, to: "submissions"),
        .createIndex(.init(["order_id"], where: "order_id IS NOT NULL"), on: "transactions"),
    ]
}

extension Column {
    static let orderID = Column.uniqueID("order_id")
}

extension LockKey {
    /// The lock of an order's row.
    package static func order(_ id: UniqueID) -> LockKey {
        LockKey(Schema.orders, [.value(id)])
    }
}
