// SPDX-License-Identifier: Apache-2.0

/// How many rows a statement must change; another number undoes the whole closure.
package struct ExpectedRows: Hashable, Sendable {
    package let range: ClosedRange<Int>

    package static let any = ExpectedRows(range: 0...Int.max)
    package static let one = exactly(1)
    package static let atMostOne = ExpectedRows(range: 0...1)

    package static func exactly(_ count: Int) -> ExpectedRows {
        ExpectedRows(range: count...count)
    }

    /// Refuses a count outside the range.
    package func check(_ count: Int, of sql: SQL) throws(DatabaseError) {
        guard !range.contains(count) else { return }
        throw DatabaseError(
            .unexpectedRowCount, "a statement changed \(count) rows, which was not expected",
            details: sql.text)
    }
}
