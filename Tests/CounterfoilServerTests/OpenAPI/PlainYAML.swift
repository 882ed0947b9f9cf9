// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore

/// Reads the part of YAML in which docs/openapi.yaml is written: block mappings and lists, lists and
/// empty mappings in brackets, plain and quoted scalars. Everything else is an error, so that no other
/// reader can understand the file differently.
struct PlainYAML {
    struct Fault: Error, CustomStringConvertible {
        let description: String
    }

    private struct Line {
        let number: Int
        let indent: Int
        let text: String
    }

    private var lines: [Line] = []
    private var position = 0

    static func read(_ text: String) throws -> JSONValue {
        var reader = PlainYAML()
        reader.lines = try Self.lines(of: text)
        guard let first = reader.lines.first else { throw Fault(description: "it is empty") }
        let value = try reader.block(first.indent)
        guard reader.position == reader.lines.count else {
            throw reader.fault("stands further left than what it belongs to")
        }
        return value
    }

    /// Lines without comments; a list in brackets that goes over several lines is one.
    private static func lines(of text: String) throws -> [Line] {
        var lines: [Line] = []
        var open: (number: Int, indent: Int, text: String)?
        for (index, raw) in text.split(separator: "\n", omittingEmptySubsequences: false)
            .enumerated()
        {
            let content = raw.drop { $0 == " " }
            guard !content.isEmpty, !content.hasPrefix("#") else { continue }
            guard !content.contains("\t") else {
                throw Fault(description: "line \(index + 1) has a tab")
            }
            let indent = raw.count - content.count
            let begun = open ?? (index + 1, indent, "")
            let joined = begun.text + (begun.text.isEmpty ? "" : " ") + content
            let isOpen = joined.contains("[") && !joined.contains("]") && !joined.contains("'")
            guard !isOpen else {
                open = (begun.number, begun.indent, joined)
                continue
            }
            open = nil
            lines.append(Line(number: begun.number, indent: begun.indent, text: joined))
        }
        return lines
    }

    private func fault(_ problem: String) -> Fault {
        let line = position < lines.count ? "line \(lines[position].number)" : "the end"
        return Fault(description: "\(line) \(problem)")
    }

    // MARK: Blocks

    private mutating func block(_ indent: Int) throws -> JSONValue {
        guard position < lines.count, lines[position].indent == indent else {
            throw fault("is not where a value is expected")
        }
        let text = lines[position].text
        if text.hasPrefix("[") {
            position += 1
            return try scalar(text)
        }
        return text.hasPrefix("- ") ? try list(indent) : try mapping(indent)
    }

    private mutating func list(_ indent: Int) throws -> JSONValue {
        var elements: [JSONValue] = []
        while position < lines.count, lines[position].indent == indent,
            lines[position].text.hasPrefix("- ")
        {
            let line = lines[position]
            let rest = String(line.text.dropFirst(2))
            if Self.key(of: rest) != nil {
                // A mapping that begins behind the dash; its other keys stand below the first.
                lines[position] = Line(number: line.number, indent: indent + 2, text: rest)
                elements.append(try mapping(indent + 2))
            } else {
                elements.append(try scalar(rest))
                position += 1
            }
        }
        return .array(elements)
    }

    private mutating func mapping(_ indent: Int) throws -> JSONValue {
        var object = JSONObject()
        while position < lines.count, lines[position].indent == indent,
            !lines[position].text.hasPrefix("- ")
        {
            guard let (key, rest) = Self.key(of: lines[position].text) else {
                throw fault("is no key with a value")
            }
            guard object[key] == nil else { throw fault("names \(key) a second time") }
            if rest.isEmpty {
                position += 1
                guard position < lines.count, lines[position].indent > indent else {
                    throw fault("follows \(key), which has no value")
                }
                object.append(key, try block(lines[position].indent))
            } else {
                object.append(key, try scalar(rest))
                position += 1
            }
        }
        return .object(object)
    }

    /// The key and what stands behind its colon.
    private static func key(of text: String) -> (key: String, rest: String)? {
        if text.hasPrefix("'") {
            let parts = text.dropFirst().split(
                separator: "'", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, parts[1].hasPrefix(":") else { return nil }
            return (String(parts[0]), parts[1].dropFirst().drop { $0 == " " }.description)
        }
        if text.hasSuffix(":"), !text.contains(": ") { return (String(text.dropLast()), "") }
        let parts = text.split(separator: ": ", maxSplits: 1)
        guard parts.count == 2, !parts[0].contains(" "), !parts[0].hasPrefix("[") else {
            return nil
        }
        return (String(parts[0]), String(parts[1]))
    }

    // MARK: Scalars

    private func scalar(_ text: String) throws -> JSONValue {
        if text == "{}" { return .object(JSONObject()) }
        if text.hasPrefix("[") {
            guard text.hasSuffix("]") else { throw fault("has a bracket without an end") }
            let inner = text.dropFirst().dropLast()
            return .array(
                try inner.split(separator: ",").map { part in
                    try scalar(part.trimmed)
                })
        }
        if text.hasPrefix("'") {
            let inner = text.dropFirst().dropLast()
            guard text.count >= 2, text.hasSuffix("'"), !inner.contains("'") else {
                throw fault("has a quote without an end")
            }
            return .string(String(inner))
        }
        guard !["|", ">", "&", "*", "!", "\"", "{", "%", "@"].contains(where: text.hasPrefix),
            !text.contains(" #"), !text.contains(": ")
        else { throw fault("is more YAML than is read here") }
        switch text {
        case "true": return true
        case "false": return false
        case "null", "~": return .null
        default:
            let isNumber = text.allSatisfy { $0.isNumber }
            return isNumber ? Int64(text).map { .integer($0) } ?? .string(text) : .string(text)
        }
    }
}

extension Substring {
    fileprivate var trimmed: String {
        String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
}
