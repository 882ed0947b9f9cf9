// SPDX-License-Identifier: Apache-2.0

/// One value as the database keeps it.
///
/// There are no fractions: money is whole milli-units.
package enum DatabaseValue: Hashable, Sendable {
    case null
    case integer(Int64)
    case text(String)
    case bytes([UInt8])

    /// The stored form of a value of the program; nil is stored as NULL.
    package static func value(_ value: (some DatabaseValueConvertible)?) -> DatabaseValue {
        value?.databaseValue ?? .null
    }

    /// What the value is, without the value itself, for messages.
    package var typeName: String {
        switch self {
        case .null: "null"
        case .integer: "integer"
        case .text: "text"
        case .bytes: "bytes"
        }
    }
}
