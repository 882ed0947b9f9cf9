// SPDX-License-Identifier: Apache-2.0
package import CounterfoilCore

/// A type with one stored form, written and read back without loss.
package protocol DatabaseValueConvertible {
    var databaseValue: DatabaseValue { get }

    /// Reads the stored form; nil for anything that `databaseValue` never makes.
    init?(databaseValue: DatabaseValue)
}

extension Int64: DatabaseValueConvertible {
    package var databaseValue: DatabaseValue { .integer(self) }

    package init?(databaseValue: DatabaseValue) {
        guard case .integer(let value) = databaseValue else { return nil }
        self = value
    }
}

extension Int: DatabaseValueConvertible {
    package var databaseValue: DatabaseValue { .integer(Int64(self)) }

    package init?(databaseValue: DatabaseValue) {
        guard case .integer(let value) = databaseValue else { return nil }
        self.init(exactly: value)
    }
}

/// Stored as 0 or 1, in both engines.
extension Bool: DatabaseValueConvertible {
    package var databaseValue: DatabaseValue { .integer(self ? 1 : 0) }

    package init?(databaseValue: DatabaseValue) {
        switch databaseValue {
        case .integer(0): self = false
        case .integer(1): self = true
        default: return nil
        }
    }
}

extension String: DatabaseValueConvertible {
    package var databaseValue: DatabaseValue { .text(self) }

    package init?(databaseValue: DatabaseValue) {
        guard case .text(let value) = databaseValue else { return nil }
        self = value
    }
}

extension [UInt8]: DatabaseValueConvertible {
    package var databaseValue: DatabaseValue { .bytes(self) }

    package init?(databaseValue: DatabaseValue) {
        guard case .bytes(let value) = databaseValue else { return nil }
        self = value
    }
}

/// Stored as milliseconds since 1970.
extension Instant: DatabaseValueConvertible {
    package var databaseValue: DatabaseValue { .integer(millisecondsSinceEpoch) }

    package init?(databaseValue: DatabaseValue) {
        guard case .integer(let value) = databaseValue else { return nil }
        self.init(millisecondsSinceEpoch: value)
    }
}

/// Stored as sixteen bytes.
extension UniqueID: DatabaseValueConvertible {
    package var databaseValue: DatabaseValue { .bytes(bytes) }

    package init?(databaseValue: DatabaseValue) {
        guard case .bytes(let value) = databaseValue, value.count == 16 else { return nil }
        self.init(bytes: value)
    }
}

/// Stored as its text; a text that the kind no longer allows does not come back.
extension Identifier: DatabaseValueConvertible {
    package var databaseValue: DatabaseValue { .text(rawValue) }

    package init?(databaseValue: DatabaseValue) {
        guard case .text(let value) = databaseValue else { return nil }
        do {
            try self.init(value)
        } catch {
            return nil
        }
    }
}

/// Stored as Apple spells it.
extension AppStoreEnvironment: DatabaseValueConvertible {
    package var databaseValue: DatabaseValue { .text(rawValue) }

    package init?(databaseValue: DatabaseValue) {
        guard case .text(let value) = databaseValue else { return nil }
        self.init(rawValue: value)
    }
}
