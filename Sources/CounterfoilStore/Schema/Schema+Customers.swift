// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
package import CounterfoilDatabase

extension Schema {
    static let customers = Table(
        "customers",
        columns: [.customerKey, .app, .createdAt],
        primaryKey: ["customer_key"])

    /// The studio's ids; only here do they stand, so that merge and erase are possible.
    static let aliases = Table(
        "aliases",
        columns: [
            .app, .text("customer_id", maximum: CustomerKind.maximumByteCount), .customerKey,
            .createdAt,
        ],
        primaryKey: ["app", "customer_id"], indexes: [.init(["customer_key"])], layout: .keyed)

    /// A customer in one environment: the row whose lock orders what happens to it, and the number
    /// of its last event.
    package static let wallets = Table(
        "wallets",
        columns: [.app, .environment, .customerKey, .integer("sequence")],
        primaryKey: ["app", "environment", "customer_key"], layout: .keyed)

    /// UUIDs that StoreKit signs into transactions, and whom each names.
    static let accountTokens = Table(
        "account_tokens",
        columns: [.app, .uniqueID("token"), .customerKey, .createdAt],
        primaryKey: ["app", "token"], indexes: [.init(["customer_key"])], layout: .keyed)
}
