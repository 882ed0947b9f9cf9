// SPDX-License-Identifier: Apache-2.0

/// How an engine spells the few things of a schema that differ between engines.
package struct Dialect: Sendable {
    package let integerType: String

    /// Includes the collation where byte order is not the default.
    package let textType: String
    package let bytesType: String

    /// The function call that gives the bytes of a text column, for its length check.
    package let textByteCount: @Sendable (_ column: String) -> String

    /// The function call that gives the length of a bytes column.
    package let bytesByteCount: @Sendable (_ column: String) -> String

    /// What follows the closing parenthesis of CREATE TABLE, with its leading space.
    package let tableOptions: @Sendable (Table.Layout) -> String

    /// The statement that makes other servers wait that would change the schema too, to the end of
    /// the transaction; nil where an engine has one writer.
    package let schemaLock: SQL?

    /// The statement that keeps others from writing to a table, to the end of the transaction; nil
    /// where an engine has one writer.
    package let tableLock: @Sendable (_ table: String) -> String?

    package init(
        integerType: String, textType: String, bytesType: String,
        textByteCount: @escaping @Sendable (_ column: String) -> String,
        bytesByteCount: @escaping @Sendable (_ column: String) -> String,
        tableOptions: @escaping @Sendable (Table.Layout) -> String, schemaLock: SQL? = nil,
        tableLock: @escaping @Sendable (_ table: String) -> String? = { _ in nil }
    ) {
        self.integerType = integerType
        self.textType = textType
        self.bytesType = bytesType
        self.textByteCount = textByteCount
        self.bytesByteCount = bytesByteCount
        self.tableOptions = tableOptions
        self.schemaLock = schemaLock
        self.tableLock = tableLock
    }
}
