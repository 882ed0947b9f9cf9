// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilDatabase

extension Schema {
    /// The reason, type and share of a refund come from another copy than its date where that is known
    /// from a receipt.
    static let forRefunds: [Migration.Step] = [
        .addColumn(.instant("refund_terms_date").nullable, to: "transactions"),
        .addColumn(.instant("refund_terms_signed_date").nullable, to: "transactions"),
        .addColumn(.integer("refund_terms_rank").nullable, to: "transactions"),
        .addColumn(.bytes("refund_terms_evidence", maximum: 32).nullable, to: "transactions"),
        .statement(
            """
            UPDATE transactions SET refund_terms_date = revocation_date,
            refund_terms_signed_date = revocation_signed_date, refund_terms_rank = revocation_rank,
            refund_terms_evidence = revocation_evidence
            WHERE revocation_date IS NOT NULL AND revocation_rank >= 3
            """),
        .createTable(refunds),
        .createIndex(
            .init(
                ["app", "environment", "customer_key", "unit"],
                where: "kind = 'debt' AND balance < 0"),
            on: "accounts"),
    ]

    /// What each later revision of a sale's grants meant in money: a refund, more of it, or its end.
    static let refunds = Table(
        "refunds",
        columns: [
            .app, .environment, .sale, .integer("revision"), .customerKey,
            .transactionID("transaction_id"), .instant("revocation_date").nullable,
            .boolean("is_of_money"),
            // Signed like the revision's goods: negative where money went back to the buyer.
            .integer("price_milli").nullable, .appleText("currency").nullable, .createdAt,
        ],
        primaryKey: ["app", "environment", "sale", "revision"],
        indexes: [.init(["customer_key", "app", "environment", "created_at"])])

    /// When each refund began and ended decides what is a sale of its own; what a change came to names it;
    /// and the number of the customer's events before it says what came first, whatever clocks said.
    static let forRefundHistory: [Migration.Step] = [
        .addColumn(
            .text("refund_history", maximum: Limits.refundHistory).nullable, to: "transactions"),
        .addColumn(.text("cause", maximum: Limits.changeCause).nullable, to: "refunds"),
        .addColumn(.integer("sequence").nullable, to: "refunds"),
        .addColumn(.integer("sequence").nullable, to: "holds"),
        .addColumn(.integer("sequence").nullable, to: "lots"),
    ]
}
