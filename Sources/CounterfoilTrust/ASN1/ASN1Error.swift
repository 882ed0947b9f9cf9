// SPDX-License-Identifier: Apache-2.0

/// Why bytes are not the ASN.1 structure that was asked for.
package struct ASN1Error: Error, Hashable, Sendable, CustomStringConvertible {
    /// A stable name for the reason.
    package struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Value: String {
            case size, depth, count, truncated, length, tag, encoding, unexpected, trailing, value
        }

        private let value: Value

        package var description: String { value.rawValue }

        /// More bytes than the limit.
        package static let size = Code(value: .size)

        /// Nested deeper than the limit.
        package static let depth = Code(value: .depth)

        /// More elements side by side than the limit.
        package static let count = Code(value: .count)

        /// The bytes end inside an element.
        package static let truncated = Code(value: .truncated)

        /// A length that the rules forbid.
        package static let length = Code(value: .length)

        /// A tag number above 30, or an end marker where none belongs.
        package static let tag = Code(value: .tag)

        /// Allowed in BER, but not in DER.
        package static let encoding = Code(value: .encoding)

        /// Another element than the structure has in this place, or none.
        package static let unexpected = Code(value: .unexpected)

        /// Bytes behind the last element.
        package static let trailing = Code(value: .trailing)

        /// Content that is no value of its type.
        package static let value = Code(value: .value)
    }

    package let code: Code

    /// What is wrong, without the place.
    package let message: String

    /// The byte, counted from the front of the text that was read.
    package let offset: Int

    package init(_ code: Code, _ message: String, at offset: Int) {
        self.code = code
        self.message = message
        self.offset = offset
    }

    package var description: String { "byte \(offset): \(message)" }
}
