// SPDX-License-Identifier: Apache-2.0

/// A value in a payload that cannot be what its field says.
///
/// Only fields that decide about money, identity or time raise it; elsewhere a strange value reads as
/// absent and stays readable in the payload's `fields`, so that no paid purchase is refused over it.
public struct PayloadError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Where the value stands, for example `data.appAppleId`; empty for the payload itself.
    public let path: String

    /// What the field holds, for example `an integer`.
    public let expected: String

    /// What was found: the kind of the value and, where it is short, the value.
    public let actual: String

    package init(path: String, expected: String, actual: String) {
        self.path = path
        self.expected = expected
        self.actual = actual
    }

    /// The text for the customer.
    public var description: String {
        "\(path.isEmpty ? "the payload" : path) holds \(actual) where \(expected) is expected"
    }
}
