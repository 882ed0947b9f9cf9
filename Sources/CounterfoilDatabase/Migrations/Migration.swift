// SPDX-License-Identifier: Apache-2.0

/// One numbered step of the schema.
///
/// Once released it never changes; a later one corrects it.
package struct Migration: Sendable {
    /// One act of a migration.
    package enum Step: Sendable {
        case createTable(Table)
        case createIndex(Table.Index, on: String)
        case addColumn(Column, to: String)

        /// A statement in the common subset, for moving rows.
        case statement(SQL)
    }

    /// Counts from 1 without gaps.
    package let number: Int
    package let name: String
    package let steps: [Step]

    package init(_ number: Int, _ name: String, _ steps: [Step]) {
        precondition(name.utf8.count <= DatabaseLimits.migrationNameBytes, "the name is too long")
        self.number = number
        self.name = name
        self.steps = steps
    }

    /// The statements that this migration runs in the engine's spelling.
    package func statements(in dialect: Dialect) -> [SQL] {
        steps.flatMap { step in
            switch step {
            case .createTable(let table): dialect.creation(of: table)
            case .createIndex(let index, let table): [dialect.creation(of: index, on: table)]
            case .addColumn(let column, let table): [dialect.addition(of: column, to: table)]
            case .statement(let sql): [sql]
            }
        }
    }

    /// A fingerprint (FNV-1a) of the statements: it tells an edited migration, not a forged one.
    func checksum(in dialect: Dialect) -> Int64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for statement in statements(in: dialect) {
            for byte in statement.text.utf8 + [0] {
                hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3
            }
        }
        return Int64(bitPattern: hash)
    }
}
