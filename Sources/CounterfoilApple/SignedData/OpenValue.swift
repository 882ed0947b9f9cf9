// SPDX-License-Identifier: Apache-2.0

/// A value out of a list that Apple extends: what is not known here survives as it is spelled.
public protocol OpenValue: Hashable, Sendable, CustomStringConvertible {
    associatedtype RawValue: Hashable & Sendable

    /// The value as Apple spells it.
    var rawValue: RawValue { get }

    init(rawValue: RawValue)
}

extension OpenValue {
    /// The text for the customer.
    public var description: String { "\(rawValue)" }
}
