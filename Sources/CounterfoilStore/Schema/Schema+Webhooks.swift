// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
package import CounterfoilDatabase

extension Schema {
    static let forWebhooks: [Migration.Step] =
        [endpoints, deliveries, deliveryAttempts, deliveryHolds].map { .createTable($0) }

    /// Where events are sent, how far each has come, and who sends there at the moment.
    package static let endpoints = Table(
        "endpoints",
        columns: [
            .endpointID, .app, .text("url", maximum: Limits.url),
            .text("description", maximum: Limits.appleText).nullable,
            // Event types with spaces between; NULL for all.
            .text("types", maximum: Limits.eventTypes).nullable, .environment.nullable,
            .boolean("is_ordered"), .boolean("acknowledges"), .integer("concurrency"),
            .integer("rate").nullable,
            .text("secret", maximum: Limits.webhookSecret),
            .text("previous_secret", maximum: Limits.webhookSecret).nullable,
            .instant("previous_until").nullable,
            .word("state"), .word("reason").nullable,
            // The last number whose event has a delivery, if the endpoint wants it.
            .integer("cursor"),
            .instant("paused_until").nullable, .integer("slowdowns"),
            .instant("window_start").nullable, .integer("window_count"),
            .instant("lease_until").nullable, .integer("fence"),
            .createdAt, .instant("updated_at"),
        ],
        primaryKey: ["endpoint_id"], indexes: [.init(["app"])])

    /// One event on its way to one endpoint.
    static let deliveries = Table(
        "deliveries",
        columns: [
            .endpointID, .integer("number"), .app, .uniqueID("event_id"), .environment,
            .customerKey.nullable, .word("type"), .productID.nullable, .word("state"),
            // Whether later events of the customer wait for it.
            .boolean("blocks"), .boolean("is_replay"),
            // Since the delivery began or was replayed, and ever.
            .integer("attempts"), .integer("tries"),
            .instant("next_at"), .createdAt, .instant("sent_at").nullable,
            .instant("finished_at").nullable,
            .integer("status").nullable, .word("error").nullable, .integer("duration_ms").nullable,
            .text("reply", maximum: Limits.reply).nullable,
        ],
        primaryKey: ["endpoint_id", "number"],
        indexes: [
            .init(["endpoint_id", "next_at"], where: "state = 'waiting'"),
            .init(
                ["endpoint_id", "environment", "customer_key", "number"], where: "blocks = 1"),
            .init(["app", "state", "number", "endpoint_id"]),
        ], layout: .keyed)

    /// Attempts that did not deliver, the last ones of each delivery.
    static let deliveryAttempts = Table(
        "delivery_attempts",
        columns: [
            .endpointID, .integer("number"), .integer("attempt"), .instant("sent_at"),
            .integer("status").nullable, .word("error").nullable, .integer("duration_ms").nullable,
            .text("reply", maximum: Limits.reply).nullable,
        ],
        primaryKey: ["endpoint_id", "number", "attempt"], layout: .keyed)

    /// What is not sent for the time being: a product of an app, or with an empty one all of it.
    static let deliveryHolds = Table(
        "delivery_holds",
        columns: [
            .app, .productID, .text("note", maximum: Limits.message).nullable, .createdAt,
        ],
        primaryKey: ["app", "product_id"], layout: .keyed)
}

extension Column {
    fileprivate static let endpointID = Column.uniqueID("endpoint_id")
}
