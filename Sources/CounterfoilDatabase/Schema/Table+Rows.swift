// SPDX-License-Identifier: Apache-2.0

extension Table {
    /// The query for every row with every column, in the order of the primary key, which is the same
    /// on every engine; for tables that are small.
    package var allRows: SQL {
        SQL(
            generated: "SELECT \(columns.map(\.name).joined(separator: ", ")) FROM \(name) "
                + "ORDER BY \(primaryKey.joined(separator: ", "))")
    }

    fileprivate func adding(_ column: Column) -> Table {
        Table(
            name, columns: columns + [column], primaryKey: primaryKey, uniqueKeys: uniqueKeys,
            indexes: indexes, foreignKeys: foreignKeys, checks: checks, layout: layout)
    }
}

extension Migration {
    /// The tables as they are after the migrations, in the order in which they were made; indexes
    /// that came later are left out.
    package static func tables(after migrations: [Migration]) -> [Table] {
        var tables: [Table] = []
        for step in migrations.flatMap(\.steps) {
            switch step {
            case .createTable(let table):
                tables.append(table)
            case .addColumn(let column, let name):
                for index in tables.indices where tables[index].name == name {
                    tables[index] = tables[index].adding(column)
                }
            case .createIndex, .statement:
                break
            }
        }
        return tables
    }
}
