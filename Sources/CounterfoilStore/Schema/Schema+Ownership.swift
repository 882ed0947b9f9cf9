// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilDatabase

extension Schema {
    /// Customers who came up for what is another's: one row for each two of them and each thing they
    /// both want, however often it happens.
    static let conflicts = Table(
        "conflicts",
        columns: [
            .uniqueID("conflict_id"), .app, .environment,
            .transactionID("original_transaction_id"), .transactionID("transaction_id"), .productID,
            .uniqueID("holder_key"), .uniqueID("contender_key"), .word("claim"), .word("answer"),
            .evidenceDigest.nullable, .integer("occurrences"), .instant("first_at"),
            .instant("last_at"),
        ],
        primaryKey: ["conflict_id"],
        indexes: [.init(["app", "environment", "first_at", "conflict_id"])])

    /// How an original came from one owner to another, one behind the other; the last row tells whose
    /// it is. Never changed: what undoes a transfer is another one.
    static let ownershipTransfers = Table(
        "ownership_transfers",
        columns: [
            .app, .environment, .transactionID("original_transaction_id"), .integer("place"),
            .uniqueID("transfer_id"), .uniqueID("from_key").nullable, .uniqueID("to_key"),
            .word("cause"), .text("reason", maximum: Limits.message).nullable,
            .uniqueID("undoes").nullable, .createdAt,
        ],
        primaryKey: ["app", "environment", "original_transaction_id", "place"],
        uniqueKeys: [["transfer_id"]])

    /// Who has the rights of a sale beside its owner.
    static let entitlementShares = Table(
        "entitlement_shares",
        columns: [.app, .environment, .sale, .customerKey, .createdAt],
        primaryKey: ["app", "environment", "sale", "customer_key"], layout: .keyed)
}
