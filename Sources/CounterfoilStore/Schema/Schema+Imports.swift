// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilDatabase

extension Schema {
    /// What the studio says of transactions from the time of its former backend, whatever their date.
    static let formerDeliveries = Table(
        "former_deliveries",
        columns: [
            .app, .environment, .transactionID("transaction_id"), .boolean("is_delivered"),
            .createdAt,
        ],
        primaryKey: ["app", "environment", "transaction_id"], layout: .keyed)

    /// How far files were imported, by a digest of the file and of how it is read.
    static let imports = Table(
        "imports",
        columns: [
            .bytes("import_id", maximum: 32), .app, .integer("lines_done"), .createdAt,
            .instant("updated_at"),
        ],
        primaryKey: ["import_id"])

    /// How many lines of a file were not taken, and the first of them, so that a repeat tells of them too.
    static let forImportFaults: [Migration.Step] = [
        .addColumn(.integer("fault_count").nullable, to: "imports"),
        .addColumn(.text("faults", maximum: Limits.importFaults).nullable, to: "imports"),
    ]
}
