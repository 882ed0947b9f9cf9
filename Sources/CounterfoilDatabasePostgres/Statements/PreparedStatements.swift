// SPDX-License-Identifier: Apache-2.0
import CounterfoilDatabase

/// What stands behind a prepared statement: the same text gives one statement.
enum StatementKey: Hashable {
    case plain(SQL)

    /// The query with the words appended that lock its rows and leave out those of others.
    case unlocked(SQL)

    /// The lock of one row of the table by its primary key.
    case lock(table: String, key: [String])

    var text: String {
        switch self {
        case .plain(let sql): return sql.text
        case .unlocked(let sql): return sql.text + " FOR UPDATE SKIP LOCKED"
        case .lock(let table, let key):
            let conditions = key.enumerated().map { "\($0.element) = $\($0.offset + 1)" }
            return
                "SELECT 1 FROM \(table) WHERE \(conditions.joined(separator: " AND ")) FOR UPDATE"
        }
    }

    /// The statement as the caller wrote it; nil where it is ours.
    var sql: SQL? {
        switch self {
        case .plain(let sql), .unlocked(let sql): sql
        case .lock: nil
        }
    }
}

/// A statement that the server knows by a name.
final class PreparedStatement {
    let name: String
    let statement: StatementText

    /// The type that each parameter was declared with, as far as it was known then.
    let types: [UInt32]
    fileprivate(set) var lastUse: UInt64 = 0

    fileprivate init(name: String, statement: StatementText, types: [UInt32]) {
        self.name = name
        self.statement = statement
        self.types = types
    }

    /// Whether values of these types go in as it was declared: NULL always does.
    func takes(_ values: [DatabaseValue]) -> Bool {
        for (value, type) in zip(values, types) {
            let needed = BinaryValue.typeNumber(of: value)
            if needed != BinaryValue.TypeNumber.unspecified, needed != type { return false }
        }
        return true
    }
}

/// The statements that one connection has prepared; the least used make room.
///
/// Each parameter gets the type of the first value that was seen for it, so that the server need not
/// guess. A statement whose first value was NULL is prepared again when a value comes.
struct PreparedStatements {
    private var statements: [StatementKey: PreparedStatement] = [:]
    private var uses: UInt64 = 0
    private var names = 0

    /// Names that the server may forget.
    private(set) var dropped: [String] = []

    /// The statement for the key, and whether the server must be told of it first.
    ///
    /// A statement that runs once goes without a name, which the next such statement takes over.
    mutating func statement(
        for key: StatementKey, _ values: [DatabaseValue]
    ) throws(DatabaseError) -> (statement: PreparedStatement, isNew: Bool) {
        guard key.sql?.isReusable ?? true else {
            let statement = try StatementText(key.text)
            let types = values.map(BinaryValue.typeNumber)
            return (PreparedStatement(name: "", statement: statement, types: types), true)
        }
        uses += 1
        let known = statements[key]
        if let known, known.takes(values) {
            known.lastUse = uses
            return (known, false)
        }
        let statement = if let known { known.statement } else { try StatementText(key.text) }
        var types = known?.types ?? Array(repeating: 0, count: statement.parameterCount)
        for (index, value) in zip(types.indices, values) where value != .null {
            types[index] = BinaryValue.typeNumber(of: value)
        }
        if let known {
            dropped.append(known.name)
        } else if statements.count >= PostgresLimits.preparedStatements,
            let oldest = statements.min(by: { $0.value.lastUse < $1.value.lastUse })
        {
            dropped.append(oldest.value.name)
            statements[oldest.key] = nil
        }
        names += 1
        let fresh = PreparedStatement(name: "c\(names)", statement: statement, types: types)
        fresh.lastUse = uses
        statements[key] = fresh
        return (fresh, true)
    }

    /// Takes out what the server could not prepare, or never got to.
    mutating func forget(_ statement: PreparedStatement) {
        for (key, value) in statements where value === statement { statements[key] = nil }
        dropped.removeAll { $0 == statement.name }
    }

    /// Hands out the names that the server may forget, once.
    mutating func takeDropped() -> [String] {
        defer { dropped = [] }
        return dropped
    }
}
