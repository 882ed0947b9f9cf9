// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore

/// Compares an answer with what is expected of it at least.
enum ScenarioMatch {
    /// Stands for any value but null.
    static let anything = "$any"

    /// More differences are of no use to anybody.
    private static let maximumCount = 20

    /// Where the answer lacks something: members that are not expected do no harm, lists must have as
    /// many elements as expected.
    static func differences(expected: JSONValue, actual: JSONValue) -> [String] {
        var found: [String] = []
        compare(expected, actual, path: "", &found)
        return Array(found.prefix(maximumCount))
    }

    private static func compare(
        _ expected: JSONValue, _ actual: JSONValue, path: String, _ found: inout [String]
    ) {
        if expected == .string(anything) {
            if actual == .null { found.append(line(path, "is null")) }
            return
        }
        switch (expected, actual) {
        case (.object(let wanted), .object(let given)):
            for member in wanted.members {
                let place = path.isEmpty ? member.key : "\(path).\(member.key)"
                if let value = given[member.key] {
                    compare(member.value, value, path: place, &found)
                } else if member.value != .null {
                    found.append(line(place, "is missing"))
                }
            }
        case (.array(let wanted), .array(let given)):
            guard wanted.count == given.count else {
                found.append(
                    line(path, "has \(given.count) elements, expected \(wanted.count)"))
                return
            }
            for (index, pair) in zip(wanted, given).enumerated() {
                compare(pair.0, pair.1, path: "\(path)[\(index)]", &found)
            }
        default:
            guard expected != actual else { return }
            found.append(line(path, "is \(short(actual)), expected \(short(expected))"))
        }
    }

    private static func line(_ path: String, _ problem: String) -> String {
        "\(path.isEmpty ? "the answer" : path) \(problem)"
    }

    private static func short(_ value: JSONValue) -> String {
        let text = value.text
        return text.count <= 200 ? text : "\(text.prefix(200))…"
    }
}
