// SPDX-License-Identifier: Apache-2.0

/// One column of a table, by what it holds.
package struct Column: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        /// A 64-bit integer.
        case integer
        /// 0 or 1.
        case boolean
        /// Milliseconds since 1970.
        case instant
        /// Sixteen bytes.
        case uniqueID
        /// Text of at most so many bytes of UTF-8, compared byte by byte.
        case text(maximum: Int)
        /// At most so many bytes.
        case bytes(maximum: Int)
    }

    package let name: String
    package let kind: Kind
    package let isNullable: Bool

    /// This column, with NULL allowed.
    package var nullable: Column {
        Column(name: name, kind: kind, isNullable: true)
    }

    private static func required(_ name: String, _ kind: Kind) -> Column {
        Column(name: name, kind: kind, isNullable: false)
    }

    package static func integer(_ name: String) -> Column { required(name, .integer) }

    package static func boolean(_ name: String) -> Column { required(name, .boolean) }

    package static func instant(_ name: String) -> Column { required(name, .instant) }

    package static func uniqueID(_ name: String) -> Column { required(name, .uniqueID) }

    /// - Parameter maximum: The longest value in bytes of UTF-8.
    package static func text(_ name: String, maximum: Int) -> Column {
        required(name, .text(maximum: maximum))
    }

    package static func bytes(_ name: String, maximum: Int) -> Column {
        required(name, .bytes(maximum: maximum))
    }
}
