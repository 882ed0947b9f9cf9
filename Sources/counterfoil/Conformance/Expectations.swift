// SPDX-License-Identifier: Apache-2.0

/// Collects where values differ from what they should be.
struct Expectations {
    private(set) var differences: [String] = []

    /// Expects a value, absent included, in a field.
    mutating func expect<Value: Equatable>(_ field: String, _ actual: Value?, _ expected: Value?) {
        guard actual != expected else { return }
        differences.append(
            "\(field): expected \(Self.shown(expected)), found \(Self.shown(actual))")
    }

    private static func shown<Value>(_ value: Value?) -> String {
        value.map { "\($0)" } ?? "none"
    }
}
