// SPDX-License-Identifier: Apache-2.0

/// Why a text is not a JSON document that this reader takes.
public struct JSONError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A stable name for the reason.
    public struct Code: Hashable, Sendable {
        private enum Value: String {
            case syntax = "json.syntax"
            case encoding = "json.encoding"
            case depth = "json.depth"
            case size = "json.size"
            case count = "json.count"
            case duplicateKey = "json.duplicate_key"
        }

        private let value: Value

        /// The reason's name in logs and documents, for example `json.duplicate_key`.
        public var name: String { value.rawValue }

        /// The text breaks the grammar.
        public static let syntax = Code(value: .syntax)

        /// A string is not UTF-8, or escapes half a surrogate pair.
        public static let encoding = Code(value: .encoding)

        /// The nesting is deeper than the limit.
        public static let depth = Code(value: .depth)

        /// The text is longer than the limit.
        public static let size = Code(value: .size)

        /// There are more values than the limit.
        public static let count = Code(value: .count)

        /// An object names one member twice.
        public static let duplicateKey = Code(value: .duplicateKey)
    }

    /// What kind of fault it is.
    public let code: Code

    /// What is wrong, without the place.
    public let message: String

    /// Where, counted from 1.
    public let line: Int

    /// The byte in that line, counted from 1.
    public let column: Int

    /// The place and the fault; nothing of the document is repeated.
    public var description: String { "line \(line), column \(column): \(message)" }
}
