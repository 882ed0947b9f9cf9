// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilDatabase

extension Schema {
    /// Units that came to a customer together, and what is left of them; of a debt: what was owed at
    /// once, and what is still open. A lot has the id of the transfer that made it.
    ///
    /// Whether it is open stands in the key, so that the few open lots of an account lie together.
    static let lots = Table(
        "lots",
        columns: [
            .uniqueID("account_id"), .boolean("is_open"), .uniqueID("lot_id"), .sale.nullable,
            .integer("amount"), .integer("remaining"),
            .integer("price_milli").nullable, .appleText("currency").nullable,
            .instant("expires_at").nullable, .createdAt,
        ],
        primaryKey: ["account_id", "is_open", "lot_id"],
        indexes: [
            .init(["expires_at", "lot_id"], where: "expires_at IS NOT NULL AND is_open = 1")
        ],
        checks: [
            "amount > 0", "remaining >= 0 AND remaining <= amount",
            "(is_open = 1) = (remaining > 0)",
        ],
        layout: .keyed)

    /// From which lots a transfer took, and into which it gave back (negative).
    static let lotUses = Table(
        "lot_uses",
        columns: [
            .uniqueID("transfer_id"), .uniqueID("lot_id"), .uniqueID("account_id"),
            .integer("amount"),
        ],
        primaryKey: ["transfer_id", "lot_id"], indexes: [.init(["lot_id"])],
        checks: ["amount <> 0"], layout: .keyed)

    /// What a customer's units are set aside for, until it is decided or its time runs out.
    static let holds = Table(
        "holds",
        columns: [
            .uniqueID("hold_id"), .app, .environment, .customerKey,
            .text("unit", maximum: UnitKind.maximumByteCount), .integer("amount"), .word("state"),
            .integer("posted"), .text("reason", maximum: Limits.message).nullable,
            .appleText("reference").nullable, .instant("expires_at"), .createdAt,
            .instant("closed_at").nullable,
        ],
        primaryKey: ["hold_id"],
        indexes: [
            .init(["customer_key", "app", "environment", "created_at"]),
            .init(["expires_at", "hold_id"], where: "state = 'open'"),
        ],
        checks: ["amount > 0", "posted >= 0 AND posted <= amount"])

    /// What was given by hand, and the purchase that it stands in for.
    static let credits = Table(
        "credits",
        columns: [
            .uniqueID("credit_id"), .app, .environment, .customerKey,
            .text("unit", maximum: UnitKind.maximumByteCount), .integer("amount"),
            .integer("bonus"), .text("reason", maximum: Limits.message),
            .appleText("reference").nullable, .transactionID("transaction_id").nullable,
            .uniqueID("order_id").nullable, .boolean("is_standing_in"), .sale.nullable, .createdAt,
        ],
        primaryKey: ["credit_id"],
        indexes: [
            .init(["customer_key"], where: "is_standing_in = 1"),
            .init(["app", "environment", "sale"], where: "sale IS NOT NULL"),
        ],
        checks: ["amount >= 0 AND bonus >= 0 AND amount + bonus > 0"])

    /// Nothing could be spent before, so each lot of an older purchase is whole. What was paid for it is
    /// not told any more.
    static let forLots: [Migration.Step] = [
        .createTable(lots),
        .createTable(lotUses),
        .createTable(holds),
        .addColumn(.uniqueID("operation_id").nullable, to: "transfers"),
        .addColumn(.text("reason", maximum: Limits.message).nullable, to: "transfers"),
        .addColumn(.appleText("reference").nullable, to: "transfers"),
        .addColumn(.uniqueID("corrects").nullable, to: "transfers"),
        .addColumn(.instant("created_at").nullable, to: "entries"),
        .statement(
            """
            INSERT INTO lots (account_id, is_open, lot_id, sale, amount, remaining, created_at)
            SELECT a.account_id, 1, t.transfer_id, t.sale, t.amount, t.amount, t.created_at
            FROM accounts a JOIN entries e ON e.account_id = a.account_id AND e.amount > 0
            JOIN transfers t ON t.transfer_id = e.transfer_id
            WHERE a.customer_key IS NOT NULL
            """),
        .statement(
            """
            UPDATE entries SET created_at = (SELECT t.created_at FROM transfers t
            WHERE t.transfer_id = entries.transfer_id)
            WHERE EXISTS (SELECT 1 FROM accounts a WHERE a.account_id = entries.account_id
            AND a.customer_key IS NOT NULL)
            """),
        .createIndex(
            .init(["account_id", "created_at", "transfer_id"], where: "created_at IS NOT NULL"),
            on: "entries"),
    ]
}
