// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilDatabase

extension Schema {
    /// What each later revision of a sale's grants meant in money: a refund, more of it, or its end.
    static let refunds = Table(
        "refunds",
        columns: [
            .app, .environment, .sale, .integer("revision"), .customerKey,
            .transactionID("transaction_id"), .instant("revocation_date").nullable,
            // Signed like the revision's goods: negative where money went back to the buyer.
            .integer("price_milli").nullable, .appleText("currency").nullable, .createdAt,
        ],
        primaryKey: ["app", "environment", "sale", "revision"],
        indexes: [.init(["customer_key", "app", "environment", "created_at"])])
}
