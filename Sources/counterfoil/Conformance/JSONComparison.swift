// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore

/// Finds where a document lacks or changes what an expected one holds.
enum JSONComparison {
    /// The differences, each with its path.
    ///
    /// Members that only the actual document has are no difference: it may know more. A member that is
    /// null in one and missing in the other is equal.
    static func differences(
        expected: JSONValue, actual: JSONValue?, at path: String
    ) -> [String] {
        switch (expected, actual ?? .null) {
        case (.object(let expected), .object(let actual)):
            return expected.members.flatMap {
                differences(
                    expected: $0.value, actual: actual[$0.key], at: "\(path).\($0.key)")
            }
        case (.array(let expected), .array(let actual)):
            guard expected.count == actual.count else {
                return ["\(path): expected \(expected.count) elements, found \(actual.count)"]
            }
            return zip(expected, actual).enumerated().flatMap { position, pair in
                differences(expected: pair.0, actual: pair.1, at: "\(path)[\(position)]")
            }
        case (let expected, let actual):
            guard expected != actual else { return [] }
            return ["\(path): expected \(shown(expected)), found \(shown(actual))"]
        }
    }

    private static let shownLength = 80

    private static func shown(_ value: JSONValue) -> String {
        let text = value.text
        return text.count > shownLength ? text.prefix(shownLength) + "…" : text
    }
}
