// SPDX-License-Identifier: Apache-2.0

extension JSONValue {
    /// The document as UTF-8, without white space.
    public var utf8: [UInt8] {
        var writer = JSONWriter(isIndented: false)
        writer.write(self)
        return writer.bytes
    }

    /// The document as UTF-8, one value a line, for people.
    public var indentedUTF8: [UInt8] {
        var writer = JSONWriter(isIndented: true)
        writer.write(self)
        return writer.bytes
    }

    /// The document as text, without white space.
    public var text: String { String(decoding: utf8, as: UTF8.self) }
}

/// Writes values; members keep their order, so equal documents give equal bytes.
private struct JSONWriter {
    private(set) var bytes: [UInt8] = []
    private let isIndented: Bool
    private var depth = 0

    init(isIndented: Bool) {
        self.isIndented = isIndented
    }

    mutating func write(_ value: JSONValue) {
        switch value {
        case .null: append("null")
        case .bool(let bool): append(bool ? "true" : "false")
        case .number(let number): bytes.append(contentsOf: number.text.utf8)
        case .string(let string): write(string)
        case .array(let elements):
            write(list: elements, between: "[", "]") { $0.write($1) }
        case .object(let object):
            write(list: object.members, between: "{", "}") { writer, member in
                writer.write(member.key)
                writer.append(writer.isIndented ? ": " : ":")
                writer.write(member.value)
            }
        }
    }

    private mutating func write<Element>(
        list: [Element], between open: StaticString, _ close: StaticString,
        element: (inout JSONWriter, Element) -> Void
    ) {
        append(open)
        depth += 1
        for (position, item) in list.enumerated() {
            if position > 0 { append(",") }
            breakLine()
            element(&self, item)
        }
        depth -= 1
        if !list.isEmpty { breakLine() }
        append(close)
    }

    private mutating func breakLine() {
        guard isIndented else { return }
        bytes.append(0x0A)
        bytes.append(contentsOf: repeatElement(0x20, count: depth * 2))
    }

    private mutating func append(_ text: StaticString) {
        bytes.append(
            contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    private mutating func write(_ string: String) {
        var string = string
        bytes.append(UInt8(ascii: "\""))
        string.withUTF8 { text in
            // What needs no escape, which is nearly all of it, is copied in one piece.
            var start = 0
            for (position, byte) in text.enumerated() where Self.needsEscape(byte) {
                bytes.append(contentsOf: text[start..<position])
                writeEscaped(byte)
                start = position + 1
            }
            bytes.append(contentsOf: text[start...])
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private static func needsEscape(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    private mutating func writeEscaped(_ byte: UInt8) {
        switch byte {
        case 0x0A: append("\\n")
        case 0x0D: append("\\r")
        case 0x09: append("\\t")
        case 0..<0x20:
            append("\\u00")
            bytes.append(contentsOf: Hexadecimal.text(of: [byte]).utf8)
        default:
            bytes.append(UInt8(ascii: "\\"))
            bytes.append(byte)
        }
    }
}
