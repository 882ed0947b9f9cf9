// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilDatabase

extension Schema {
    /// Customers who became one with another, and when that was undone.
    static let merges = Table(
        "merges",
        columns: [
            .uniqueID("merge_id"), .app, .uniqueID("source_key"), .uniqueID("target_key"),
            .text("reason", maximum: Limits.message), .createdAt, .instant("undone_at").nullable,
            .text("undo_reason", maximum: Limits.message).nullable,
        ],
        primaryKey: ["merge_id"], indexes: [.init(["source_key"]), .init(["target_key"])])

    /// What a merge made the target's although it was not decided yet: orders, credits and holds.
    static let mergedRows = Table(
        "merged_rows",
        columns: [.uniqueID("merge_id"), .word("kind"), .uniqueID("row_id")],
        primaryKey: ["merge_id", "kind", "row_id"], layout: .keyed)

    /// Whom a customer is one with. What is stored of it keeps its own key, so that a merge can be undone;
    /// only wallets and rights move, and what is open. Nothing comes to a wallet whose customer is merged.
    static let forMerges: [Migration.Step] = [
        .createTable(merges),
        .createTable(mergedRows),
        .addColumn(.uniqueID("merged_into").nullable, to: "customers"),
        .addColumn(.boolean("is_merged").nullable, to: "wallets"),
        .addColumn(.uniqueID("reserved_by").nullable, to: "holds"),
    ]

    /// What a merge moved is found by the merge.
    static let forMoves: [Migration.Step] = [
        .createIndex(.init(["operation_id"], where: "kind = 'merge'"), on: "transfers")
    ]
}
