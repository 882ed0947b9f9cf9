// SPDX-License-Identifier: Apache-2.0

extension Dialect {
    /// The statements that make a table and its indexes.
    package func creation(of table: Table, ifMissing: Bool = false) -> [SQL] {
        var lines = table.columns.map(definition)
        lines.append("PRIMARY KEY (\(list(table.primaryKey)))")
        lines += table.uniqueKeys.map { "UNIQUE (\(list($0)))" }
        lines += table.foreignKeys.map {
            "FOREIGN KEY (\(list($0.columns))) REFERENCES \($0.table) (\(list($0.referenced)))"
        }
        lines += table.checks.map { "CHECK (\($0.text))" }
        let body = lines.joined(separator: ",\n    ")
        let name = (ifMissing ? "IF NOT EXISTS " : "") + table.name
        let create = SQL(
            generated: "CREATE TABLE \(name) (\n    \(body)\n)\(tableOptions(table.layout))")
        return [create] + table.indexes.map { creation(of: $0, on: table.name) }
    }

    /// The statement that makes one index.
    package func creation(of index: Table.Index, on table: String) -> SQL {
        let name = ([table] + index.columns).joined(separator: "_")
        let condition = index.condition.map { " WHERE \($0.text)" } ?? ""
        return SQL(
            generated: "CREATE \(index.isUnique ? "UNIQUE " : "")INDEX \(name)_index ON \(table) "
                + "(\(list(index.columns)))\(condition)")
    }

    /// The statement that adds one column, which must allow NULL: old rows have no value for it.
    package func addition(of column: Column, to table: String) -> SQL {
        precondition(column.isNullable, "an added column allows NULL")
        return SQL(generated: "ALTER TABLE \(table) ADD COLUMN \(definition(of: column))")
    }

    /// The statement that makes other servers wait that would write to the table.
    func lock(of table: Table) -> SQL? {
        tableLock(table.name).map { SQL(generated: $0) }
    }

    private func list(_ columns: [String]) -> String {
        columns.joined(separator: ", ")
    }

    private func definition(of column: Column) -> String {
        let required = column.isNullable ? "" : " NOT NULL"
        let name = column.name
        let (type, check): (String, String?) =
            switch column.kind {
            case .integer, .instant: (integerType, nil)
            case .boolean: (integerType, "\(name) IN (0, 1)")
            case .uniqueID: (bytesType, "\(bytesByteCount(name)) = 16")
            case .text(let maximum): (textType, "\(textByteCount(name)) <= \(maximum)")
            case .bytes(let maximum): (bytesType, "\(bytesByteCount(name)) <= \(maximum)")
            }
        return "\(name) \(type)\(required)" + (check.map { " CHECK (\($0))" } ?? "")
    }
}
