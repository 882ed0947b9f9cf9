// SPDX-License-Identifier: Apache-2.0

/// A JSON document as it was written: numbers keep their text, objects their order.
public enum JSONValue: Hashable, Sendable {
    case null
    case bool(Bool)
    case number(JSONNumber)
    case string(String)
    case array([JSONValue])
    case object(JSONObject)

    /// The value as an object, or nil.
    public var object: JSONObject? {
        if case .object(let object) = self { object } else { nil }
    }

    /// The value as a list, or nil.
    public var array: [JSONValue]? {
        if case .array(let array) = self { array } else { nil }
    }

    /// The value as text, or nil where it is not a string.
    public var string: String? {
        if case .string(let string) = self { string } else { nil }
    }

    /// The value as a truth value, or nil where it is neither `true` nor `false`.
    public var bool: Bool? {
        if case .bool(let bool) = self { bool } else { nil }
    }

    /// The value as a 64-bit integer, or nil where it is no number or does not fit exactly.
    public var int64: Int64? {
        if case .number(let number) = self { number.int64 } else { nil }
    }

    /// The word that a message uses for this kind of value.
    public var kindName: String {
        switch self {
        case .null: "null"
        case .bool: "a boolean"
        case .number: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }

    /// The value of a member, or nil where this is no object or has no such member.
    public subscript(key: String) -> JSONValue? {
        object?[key]
    }

    /// A number from an integer of any width.
    public static func integer(_ value: some BinaryInteger) -> JSONValue {
        .number(JSONNumber(text: String(value), int64: Int64(exactly: value)))
    }

    /// The text, or `null` in place of nil.
    public static func optional(_ text: String?) -> JSONValue {
        text.map { .string($0) } ?? .null
    }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByIntegerLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// Makes a string.
    public init(stringLiteral value: String) {
        self = .string(value)
    }

    /// Makes `true` or `false`.
    public init(booleanLiteral value: Bool) {
        self = .bool(value)
    }

    /// Makes a number.
    public init(integerLiteral value: Int64) {
        self = .number(JSONNumber(value))
    }

    /// Makes an array.
    public init(arrayLiteral elements: JSONValue...) {
        self = .array(elements)
    }

    /// Makes an object whose members stand as written.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(JSONObject(elements.map { JSONObject.Member(key: $0.0, value: $0.1) }))
    }
}

/// A number as the text it was written in, so that 64-bit ids and prices lose nothing.
public struct JSONNumber: Hashable, Sendable {
    /// The digits as written; valid JSON.
    public let text: String

    /// The value, where the text is an integer that fits into 64 bits.
    public let int64: Int64?

    init(text: String, int64: Int64?) {
        self.text = text
        self.int64 = int64
    }

    /// Makes the number that is written as the integer.
    public init(_ value: Int64) {
        text = String(value)
        int64 = value
    }

    /// The integer part, for values such as Xcode's fractional milliseconds; nil beyond 64 bits or
    /// with an exponent.
    public var truncated: Int64? {
        if let int64 { return int64 }
        guard let point = text.utf8.firstIndex(of: UInt8(ascii: ".")),
            !text.utf8.contains(where: { $0 == UInt8(ascii: "e") || $0 == UInt8(ascii: "E") })
        else { return nil }
        return Int64(text[..<point])
    }
}

/// The members of a JSON object in the order they were written.
public struct JSONObject: Hashable, Sendable {
    /// A name and its value.
    public struct Member: Hashable, Sendable {
        /// The name, unescaped.
        public let key: String

        /// What the name stands for.
        public let value: JSONValue

        /// Makes a member.
        public init(key: String, value: JSONValue) {
            self.key = key
            self.value = value
        }
    }

    /// Objects up to this size are searched member by member, which beats hashing: the payloads that
    /// Apple signs have about thirty.
    private static let indexingThreshold = 64

    /// The members in the order they were written.
    public private(set) var members: [Member]

    /// A mark of each name, so that most others are passed over by comparing numbers; empty above the
    /// threshold.
    private var marks: [UInt16] = []

    /// Where each name stands first; empty up to the threshold.
    private var positions: [ExactText: Int] = [:]

    /// Makes an object; of members with one name the first is found by name.
    public init(_ members: [Member] = []) {
        self.members = members
        indexMembers(from: 0)
    }

    /// Whether two members share a name.
    var hasDuplicateKeys: Bool {
        if members.count > Self.indexingThreshold { return positions.count != members.count }
        return members.indices.contains { position in
            marks[..<position].contains(marks[position])
                && self.position(of: members[position].key) != position
        }
    }

    /// The first member's value with that name, byte for byte, or nil.
    public subscript(key: String) -> JSONValue? {
        if members.count > Self.indexingThreshold {
            return positions[ExactText(key)].map { members[$0].value }
        }
        return position(of: key).map { members[$0].value }
    }

    /// Where the name stands first in an object up to the threshold.
    private func position(of key: String) -> Int? {
        let mark = ExactText.mark(of: key)
        return marks.indices.first {
            marks[$0] == mark && ExactText.areIdentical(members[$0].key, key)
        }
    }

    /// The names in order.
    public var keys: [String] { members.map(\.key) }

    /// Adds a member behind the others.
    public mutating func append(_ key: String, _ value: JSONValue) {
        members.append(Member(key: key, value: value))
        indexMembers(from: members.count == Self.indexingThreshold + 1 ? 0 : members.count - 1)
    }

    private mutating func indexMembers(from start: Int) {
        guard members.count > Self.indexingThreshold else {
            for member in members[start...] { marks.append(ExactText.mark(of: member.key)) }
            return
        }
        marks = []
        positions.reserveCapacity(members.count)
        for position in start..<members.count {
            let key = ExactText(members[position].key)
            if let first = positions.updateValue(position, forKey: key) { positions[key] = first }
        }
    }

    /// Equal objects have equal members in the same order.
    public static func == (lhs: JSONObject, rhs: JSONObject) -> Bool {
        lhs.members == rhs.members
    }

    /// Feeds the members, as equality compares them.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(members)
    }
}
