// SPDX-License-Identifier: Apache-2.0

import CounterfoilDatabase

extension Schema {
    /// What Apple told about the apps, once for all copies of a notification.
    static let notifications = Table(
        "notifications",
        columns: [
            .app, .text("uuid", maximum: Limits.appleText), .environment.nullable,
            .text("type", maximum: Limits.appleText),
            .text("subtype", maximum: Limits.appleText).nullable,
            .transactionID("transaction_id").nullable, .instant("signed_at"),
            .bytes("evidence", maximum: 32),
            .word("status"), .word("reason").nullable, .instant("received_at"),
            .integer("copies"),
        ],
        primaryKey: ["app", "uuid"], indexes: [.init(["app", "received_at", "uuid"])])
}
