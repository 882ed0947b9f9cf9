// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import Foundation
import Synchronization

/// As much of JSON Schema as the documentation of events uses; a word that is not known here is a fault
/// of the schema, so that nothing is taken for checked that was not.
struct JSONSchema {
    static let folder = URL(fileURLWithPath: #filePath)
        .appendingPathComponent("../../../../docs/events").standardizedFileURL

    let document: JSONValue

    private static let documents = Mutex<[String: JSONValue]>([:])

    init(_ name: String) throws {
        if let known = Self.documents.withLock({ $0[name] }) {
            document = known
            return
        }
        let file = Self.folder.appendingPathComponent(name)
        let document = try JSONValue(parsing: [UInt8](try Data(contentsOf: file)))
        Self.documents.withLock { $0[name] = document }
        self.document = document
    }

    /// What is wrong with an event by the schema of its type.
    static func faults(ofEvent event: JSONValue) throws -> [String] {
        try JSONSchema("\(event["type"]?.string ?? "").schema.json").faults(event)
    }

    /// What is wrong with the value, with its place; empty if it fits.
    func faults(_ value: JSONValue) throws -> [String] {
        try faults(value, document, "event")
    }

    private static let annotations: Set<String> = [
        "$schema", "$defs", "title", "description", "examples", "format",
    ]

    private func faults(
        _ value: JSONValue, _ schema: JSONValue, _ path: String
    ) throws -> [String] {
        var faults: [String] = []
        for member in schema.object?.members ?? [] where !Self.annotations.contains(member.key) {
            switch member.key {
            case "$ref": faults += try referred(value, member.value.string ?? "", path)
            case "allOf":
                for part in member.value.array ?? [] {
                    faults += try self.faults(value, part, path)
                }
            case "oneOf":
                let fitting = try (member.value.array ?? []).filter {
                    try self.faults(value, $0, path).isEmpty
                }
                if fitting.count != 1 { faults.append("\(path) fits \(fitting.count) forms") }
            case "properties", "required", "additionalProperties", "items":
                faults += try structure(value, member, schema, path)
            default:
                if !isFulfilled(member, by: value) {
                    faults.append("\(path) is \(value.text), against \(member.key)")
                }
            }
        }
        return faults
    }

    private func structure(
        _ value: JSONValue, _ member: JSONObject.Member, _ schema: JSONValue, _ path: String
    ) throws -> [String] {
        switch member.key {
        case "items":
            return try (value.array ?? []).enumerated().flatMap { index, element in
                try faults(element, member.value, "\(path)[\(index)]")
            }
        case "required":
            return (member.value.array ?? []).compactMap(\.string)
                .filter { value.object != nil && value[$0] == nil }
                .map { "\(path).\($0) is missing" }
        case "properties":
            return try (member.value.object?.members ?? []).flatMap { property in
                try value[property.key].map {
                    try faults($0, property.value, "\(path).\(property.key)")
                } ?? []
            }
        default:
            let known = schema["properties"]?.object?.keys ?? []
            return (value.object?.keys ?? []).filter { !known.contains($0) }
                .map { "\(path).\($0) is unknown" }
        }
    }

    private func isFulfilled(_ member: JSONObject.Member, by value: JSONValue) -> Bool {
        switch member.key {
        case "type":
            let types = member.value.array?.compactMap(\.string) ?? [member.value.string ?? ""]
            return types.contains { Self.isKind($0, of: value) }
        case "enum": return member.value.array?.contains(value) == true
        case "const": return member.value == value
        case "minimum": return (value.int64 ?? .max) >= (member.value.int64 ?? .max)
        default: return false
        }
    }

    private static func isKind(_ type: String, of value: JSONValue) -> Bool {
        switch value {
        case .null: type == "null"
        case .bool: type == "boolean"
        case .number: type == "number" || (type == "integer" && value.int64 != nil)
        case .string: type == "string"
        case .array: type == "array"
        case .object: type == "object"
        }
    }

    /// `file#/$defs/name`, or without a file in this document.
    private func referred(
        _ value: JSONValue, _ reference: String, _ path: String
    ) throws -> [String] {
        let parts = reference.split(separator: "#", omittingEmptySubsequences: false)
        let schema = parts[0].isEmpty ? self : try JSONSchema(String(parts[0]))
        let name = parts.last?.split(separator: "/").last.map { String($0) } ?? ""
        guard let part = schema.document["$defs"]?[name] else {
            return ["\(path): \(reference) leads nowhere"]
        }
        return try schema.faults(value, part, path)
    }
}
