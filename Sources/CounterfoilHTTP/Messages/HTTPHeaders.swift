// SPDX-License-Identifier: Apache-2.0

/// The fields of a message in their order; names are compared without regard to case.
public struct HTTPHeaders: Hashable, Sendable {
    /// A name and its value.
    public struct Field: Hashable, Sendable {
        /// The name as it was written.
        public let name: String

        /// The value without the white space around it.
        public let value: String

        /// Makes a field; nothing is checked here.
        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// All fields, repeated ones included.
    public private(set) var fields: [Field]

    /// Takes the fields as they are.
    public init(_ fields: [Field] = []) {
        self.fields = fields
    }

    /// The value of the first field with that name; nil removes all of them, a value replaces them.
    public subscript(name: String) -> String? {
        get { fields.first { Self.isSame($0.name, name) }?.value }
        set {
            fields.removeAll { Self.isSame($0.name, name) }
            if let newValue { append(name, newValue) }
        }
    }

    /// The values of every field with that name, in order.
    public func values(of name: String) -> [String] {
        fields.filter { Self.isSame($0.name, name) }.map(\.value)
    }

    /// Adds a field behind the others.
    public mutating func append(_ name: String, _ value: String) {
        fields.append(Field(name: name, value: value))
    }

    private static func isSame(_ lhs: String, _ rhs: String) -> Bool {
        let (left, right) = (lhs.utf8, rhs.utf8)
        guard left.count == right.count else { return false }
        return zip(left, right).allSatisfy { asciiLowercase($0) == asciiLowercase($1) }
    }

    private static func asciiLowercase(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
}

extension HTTPHeaders: ExpressibleByDictionaryLiteral {
    /// Takes the fields in the literal's order; names may repeat.
    public init(dictionaryLiteral elements: (String, String)...) {
        fields = elements.map { Field(name: $0.0, value: $0.1) }
    }
}
