// SPDX-License-Identifier: Apache-2.0
package import CounterfoilCore

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

    // The same for the frequent types. A generic function of another module is not specialised,
    // and looking up the metadata of a generic optional costs more than all the rest.
    package static func value(_ value: Int64?) -> DatabaseValue { value.map(integer) ?? .null }

    package static func value(_ value: String?) -> DatabaseValue { value.map(text) ?? .null }

    package static func value(_ value: [UInt8]?) -> DatabaseValue { value.map(bytes) ?? .null }

    package static func value(_ value: Bool?) -> DatabaseValue { value?.databaseValue ?? .null }

    package static func value(_ value: Instant?) -> DatabaseValue { value?.databaseValue ?? .null }

    package static func value(_ value: UniqueID?) -> DatabaseValue { value?.databaseValue ?? .null }

    package static func value(_ value: AppStoreEnvironment?) -> DatabaseValue {
        value?.databaseValue ?? .null
    }

    package static func value(_ value: Identifier<some IdentifierKind>) -> DatabaseValue {
        .text(value.rawValue)
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
