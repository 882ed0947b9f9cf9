// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore

/// The answers that steps have given names to, and the values in them that later steps use.
///
/// A text that is `$name.member` alone becomes that value, whatever its kind; `${name.member}` inside a
/// text becomes its text.
struct ScenarioNames: Sendable {
    private(set) var values: [String: JSONValue]

    init(_ values: [String: JSONValue]) {
        self.values = values
    }

    /// That a step refers to something that is not there.
    struct Unknown: Error, CustomStringConvertible {
        let description: String
    }

    mutating func set(_ name: String, _ value: JSONValue) { values[name] = value }

    /// The value with all references put in.
    func resolved(_ value: JSONValue) throws(Unknown) -> JSONValue {
        switch value {
        case .null, .bool, .number: return value
        case .string(let text): return try resolved(text)
        case .array(let elements):
            var list: [JSONValue] = []
            for element in elements { list.append(try resolved(element)) }
            return .array(list)
        case .object(let object):
            var result = JSONObject()
            for member in object.members { result.append(member.key, try resolved(member.value)) }
            return .object(result)
        }
    }

    /// A text with all references put in.
    func text(_ text: String) throws(Unknown) -> String {
        let value = try resolved(text)
        return value.string ?? value.text
    }

    private func resolved(_ text: String) throws(Unknown) -> JSONValue {
        if text.hasPrefix("$"), !text.hasPrefix("${"), text != ScenarioMatch.anything {
            return try value(at: String(text.dropFirst()))
        }
        var result = ""
        var rest = text[...]
        while let start = rest.firstRange(of: "${") {
            guard let end = rest[start.upperBound...].firstIndex(of: "}") else { break }
            let found = try value(at: String(rest[start.upperBound..<end]))
            result += rest[..<start.lowerBound] + (found.string ?? found.text)
            rest = rest[rest.index(after: end)...]
        }
        return .string(result + rest)
    }

    private func value(at path: String) throws(Unknown) -> JSONValue {
        let parts = path.split(separator: ".", omittingEmptySubsequences: false)
        guard var value = values[String(parts[0])] else {
            throw Unknown(description: "nothing is called \"\(parts[0])\"")
        }
        for part in parts.dropFirst() {
            let next =
                Int(part).flatMap { index in
                    value.array.flatMap { $0.indices.contains(index) ? $0[index] : nil }
                } ?? value[String(part)]
            guard let next else {
                throw Unknown(description: "\"\(path)\" has no \"\(part)\"")
            }
            value = next
        }
        return value
    }
}
