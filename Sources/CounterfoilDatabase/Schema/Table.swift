// SPDX-License-Identifier: Apache-2.0

/// A table as the schema declares it; the statements that make it are generated per engine.
///
/// Names are ours and constant: lower case, digits and underscores.
package struct Table: Hashable, Sendable {
    /// A second way into a table; its name is made from the columns.
    package struct Index: Hashable, Sendable {
        package let columns: [String]
        package let isUnique: Bool

        /// The rows it covers, in SQL; nil for all.
        package let condition: SQL?

        package init(_ columns: [String], isUnique: Bool = false, where condition: SQL? = nil) {
            self.columns = columns
            self.isUnique = isUnique
            self.condition = condition
        }
    }

    /// Rows of this table that must have a row of another.
    package struct ForeignKey: Hashable, Sendable {
        package let columns: [String]
        package let table: String
        package let referenced: [String]

        package init(_ columns: [String], references table: String, _ referenced: [String]) {
            self.columns = columns
            self.table = table
            self.referenced = referenced
        }
    }

    /// How rows are laid out, where an engine has the choice.
    package enum Layout: Hashable, Sendable {
        /// Rows in the order they came, keys beside them: for large rows.
        case heap
        /// Rows inside the primary key: for small rows that are found by it.
        case keyed
    }

    package let name: String
    package let columns: [Column]
    package let primaryKey: [String]
    package let uniqueKeys: [[String]]
    package let indexes: [Index]
    package let foreignKeys: [ForeignKey]

    /// Conditions in the common subset that every row fulfils.
    package let checks: [SQL]
    package let layout: Layout

    package init(
        _ name: String, columns: [Column], primaryKey: [String], uniqueKeys: [[String]] = [],
        indexes: [Index] = [], foreignKeys: [ForeignKey] = [], checks: [SQL] = [],
        layout: Layout = .heap
    ) {
        self.name = name
        self.columns = columns
        self.primaryKey = primaryKey
        self.uniqueKeys = uniqueKeys
        self.indexes = indexes
        self.foreignKeys = foreignKeys
        self.checks = checks
        self.layout = layout
        checkNames()
    }

    /// A misspelt name is a defect that must not wait for the first start on the other engine.
    private func checkNames() {
        let names = Set(columns.map(\.name))
        precondition(names.count == columns.count, "\(name) names a column twice")
        precondition(!primaryKey.isEmpty, "\(name) has no primary key")
        let used =
            primaryKey + uniqueKeys.joined() + indexes.flatMap(\.columns)
            + foreignKeys.flatMap(\.columns)
        for column in used {
            precondition(names.contains(column), "\(name) has no column \(column)")
        }
        for column in columns where primaryKey.contains(column.name) {
            precondition(!column.isNullable, "\(name).\(column.name) is part of the primary key")
        }
        for word in [name] + columns.map(\.name) {
            let isPlain = word.utf8.allSatisfy {
                $0 == UInt8(ascii: "_") || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
            }
            precondition(isPlain && !word.isEmpty, "\(word) is not a plain name")
        }
    }
}
