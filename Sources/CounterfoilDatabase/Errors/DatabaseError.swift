// SPDX-License-Identifier: Apache-2.0

/// Why the database did not do what it was asked.
///
/// `description` is safe to show to anyone; `debugDescription` adds the statement and the engine's
/// own words, and is for the log only. Parameter values appear in neither.
package struct DatabaseError: Error, Sendable {
    /// A stable name for the reason.
    package struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Value: String {
            case uniqueViolation = "unique-violation"
            case constraintViolation = "constraint-violation"
            case unexpectedRowCount = "unexpected-row-count"
            case unexpectedValue = "unexpected-value"
            case statement = "statement"
            case busy = "busy"
            case full = "full"
            case tooLarge = "too-large"
            case readOnly = "read-only"
            case cannotOpen = "cannot-open"
            case corrupt = "corrupt"
            case unavailable = "unavailable"
            case closed = "closed"
            case schemaOlder = "schema-older"
            case schemaNewer = "schema-newer"
            case schemaChanged = "schema-changed"
        }

        private let value: Value

        package var description: String { value.rawValue }

        /// A unique or primary key holds this value already.
        package static let uniqueViolation = Code(value: .uniqueViolation)

        /// A column or table check, a NOT NULL or a foreign key refused the row.
        package static let constraintViolation = Code(value: .constraintViolation)

        /// A statement touched, or a query returned, another number of rows than was promised.
        package static let unexpectedRowCount = Code(value: .unexpectedRowCount)

        /// A column is missing or holds a value of another type than the one asked for.
        package static let unexpectedValue = Code(value: .unexpectedValue)

        /// The statement itself is wrong, which is a defect: its syntax, its names, its parameters.
        package static let statement = Code(value: .statement)

        /// Too much is waiting already, or another process holds the database; try again later.
        package static let busy = Code(value: .busy)

        /// The disk, or the space the database may use, is full.
        package static let full = Code(value: .full)

        /// A value or a result is larger than the limit.
        package static let tooLarge = Code(value: .tooLarge)

        /// The database, or this transaction, cannot be written to.
        package static let readOnly = Code(value: .readOnly)

        /// The database could not be opened at all.
        package static let cannotOpen = Code(value: .cannotOpen)

        /// What is stored is damaged, or is not a database of ours.
        package static let corrupt = Code(value: .corrupt)

        /// The outcome was not made durable, after a failed write, sync or connection; try again.
        package static let unavailable = Code(value: .unavailable)

        /// The database was closed before the call.
        package static let closed = Code(value: .closed)

        /// The stored schema lacks what this program needs: an earlier version made it, or none.
        package static let schemaOlder = Code(value: .schemaOlder)

        /// The stored schema was made by a later version of this program.
        package static let schemaNewer = Code(value: .schemaNewer)

        /// A migration that was applied is no longer the one this program knows.
        package static let schemaChanged = Code(value: .schemaChanged)
    }

    package let code: Code

    /// What went wrong, in words that hold neither values nor SQL.
    package let message: String

    /// The statement and the engine's own message, for the log.
    package let details: String?

    package init(_ code: Code, _ message: String, details: String? = nil) {
        self.code = code
        self.message = message
        self.details = details
    }

    /// Whether the same call may succeed later without anything being changed by hand.
    package var isTransient: Bool {
        [.busy, .full, .unavailable].contains(code)
    }

}

extension DatabaseError: CustomStringConvertible, CustomDebugStringConvertible {
    package var description: String { "\(code): \(message)" }

    package var debugDescription: String {
        guard let details else { return description }
        return "\(description) [\(details)]"
    }
}
