// SPDX-License-Identifier: Apache-2.0
package import CounterfoilCore

/// The column names of one result, shared by all its rows.
package final class ColumnNames: Sendable {
    package let names: [String]

    package init(_ names: [String]) {
        self.names = names
    }
}

/// One row of a result, a value of its own that outlives the transaction.
///
/// An accessor throws ``DatabaseError/Code/unexpectedValue`` when the column is not there or holds
/// anything else than the type asked for; the plain ones refuse NULL too.
package struct Row: Sendable {
    package let columns: ColumnNames
    package let values: [DatabaseValue]

    package init(columns: ColumnNames, values: [DatabaseValue]) {
        self.columns = columns
        self.values = values
    }

    /// The value as stored.
    package func value(_ place: ColumnPlace) throws(DatabaseError) -> DatabaseValue {
        let position: Int?
        switch place {
        case .position(let index): position = values.indices.contains(index) ? index : nil
        case .name(let name): position = columns.names.firstIndex(of: name)
        }
        guard let position else {
            throw DatabaseError(
                .unexpectedValue, "a column is missing from a result",
                details: "\(place) of \(columns.names)")
        }
        return values[position]
    }

    /// The value as the type asked for.
    package func get<Value: DatabaseValueConvertible>(
        _ place: ColumnPlace, as type: Value.Type = Value.self
    ) throws(DatabaseError) -> Value {
        let stored = try value(place)
        guard let value = Value(databaseValue: stored) else {
            throw DatabaseError(
                .unexpectedValue, "a column holds another type than expected",
                details: "\(place) is \(stored.typeName), expected \(type)")
        }
        return value
    }

    /// The value as the type asked for, or nil for NULL.
    package func optional<Value: DatabaseValueConvertible>(
        _ place: ColumnPlace, as type: Value.Type = Value.self
    ) throws(DatabaseError) -> Value? {
        if case .null = try value(place) { return nil }
        return try get(place, as: type)
    }
}

extension Row {
    package func integer(_ place: ColumnPlace) throws(DatabaseError) -> Int64 {
        try get(place)
    }

    package func boolean(_ place: ColumnPlace) throws(DatabaseError) -> Bool {
        try get(place)
    }

    package func text(_ place: ColumnPlace) throws(DatabaseError) -> String {
        try get(place)
    }

    package func bytes(_ place: ColumnPlace) throws(DatabaseError) -> [UInt8] {
        try get(place)
    }

    package func instant(_ place: ColumnPlace) throws(DatabaseError) -> Instant {
        try get(place)
    }

    package func uniqueID(_ place: ColumnPlace) throws(DatabaseError) -> UniqueID {
        try get(place)
    }

    package func identifier<Kind>(
        _ place: ColumnPlace, as type: Identifier<Kind>.Type = Identifier<Kind>.self
    ) throws(DatabaseError) -> Identifier<Kind> {
        try get(place)
    }
}

extension Row {
    package func optionalInteger(_ place: ColumnPlace) throws(DatabaseError) -> Int64? {
        try optional(place)
    }

    package func optionalBoolean(_ place: ColumnPlace) throws(DatabaseError) -> Bool? {
        try optional(place)
    }

    package func optionalText(_ place: ColumnPlace) throws(DatabaseError) -> String? {
        try optional(place)
    }

    package func optionalBytes(_ place: ColumnPlace) throws(DatabaseError) -> [UInt8]? {
        try optional(place)
    }

    package func optionalInstant(_ place: ColumnPlace) throws(DatabaseError) -> Instant? {
        try optional(place)
    }

    package func optionalUniqueID(_ place: ColumnPlace) throws(DatabaseError) -> UniqueID? {
        try optional(place)
    }

    package func optionalIdentifier<Kind>(
        _ place: ColumnPlace, as type: Identifier<Kind>.Type = Identifier<Kind>.self
    ) throws(DatabaseError) -> Identifier<Kind>? {
        try optional(place)
    }
}
