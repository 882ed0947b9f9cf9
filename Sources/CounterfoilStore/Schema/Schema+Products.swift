// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilDatabase

extension Schema {
    /// Products that apps asked the store for in vain, since when and until when.
    static let productReports = Table(
        "product_reports",
        columns: [.app, .productID, .instant("first_at"), .instant("last_at")],
        primaryKey: ["app", "product_id"], layout: .keyed)

    /// Those, and a customer's submissions in the order of time, for people who look for what happened.
    static let forTimelines: [Migration.Step] = [
        .createTable(productReports),
        .createIndex(
            .init(["app", "customer_key", "received_at", "submission_id"]), on: "submissions"),
        .statement("DROP INDEX submissions_app_customer_key_index"),
    ]

    /// A customer's events in the order of time, and the non-consumables that a customer has.
    static let forQuestions: [Migration.Step] = [
        .createIndex(
            .init(
                ["app", "environment", "customer_key", "created_at", "event_id"],
                where: "customer_key IS NOT NULL"),
            on: "events"),
        .createIndex(
            .init(
                ["app", "environment", "customer_key", "product_id"],
                where: "type = 'non_consumable'"),
            on: "sales"),
    ]
}
