// SPDX-License-Identifier: Apache-2.0

/// Recursive descent over the bytes of one document.
struct JSONParser {
    let text: [UInt8]
    let dialect: JSONDialect
    let limits: JSONLimits
    private let recordsLines: Bool
    var position = 0
    private var depth = 0
    private var valueCount = 0
    private var path = ""
    private var lines: [String: Int] = [:]
    private var lineCursor = (offset: 0, line: 1)

    init(
        text: [UInt8], dialect: JSONDialect, limits: JSONLimits,
        recordsLines: Bool
    ) {
        self.text = text
        self.dialect = dialect
        self.limits = limits
        self.recordsLines = recordsLines
    }

    mutating func document() throws(JSONError) -> JSONDocument {
        guard text.count <= limits.maximumByteCount else {
            throw error(.size, "the document is longer than \(limits.maximumByteCount) bytes")
        }
        if dialect == .json5 { skipByteOrderMark() }
        try skipSpace()
        let value = try value()
        try skipSpace()
        guard position == text.count else {
            throw error(.syntax, "something follows the end of the document")
        }
        return JSONDocument(value: value, lines: lines)
    }

    private mutating func value() throws(JSONError) -> JSONValue {
        valueCount += 1
        guard valueCount <= limits.maximumValueCount else {
            throw error(.count, "the document holds more than \(limits.maximumValueCount) values")
        }
        if recordsLines { lines[path] = currentLine() }
        switch peek {
        case UInt8(ascii: "{"):
            return try nested { parser throws(JSONError) in try parser.object() }
        case UInt8(ascii: "["): return try nested { parser throws(JSONError) in try parser.array() }
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "'") where dialect == .json5: return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        case nil: throw error(.syntax, "the document ends where a value is expected")
        default: return .number(try number())
        }
    }

    private mutating func nested(
        _ body: (inout JSONParser) throws(JSONError) -> JSONValue
    ) throws(JSONError) -> JSONValue {
        depth += 1
        guard depth <= limits.maximumDepth else {
            throw error(.depth, "the nesting is deeper than \(limits.maximumDepth) levels")
        }
        position += 1
        let value = try body(&self)
        depth -= 1
        return value
    }

    private mutating func object() throws(JSONError) -> JSONValue {
        var members: [JSONObject.Member] = []
        let outer = path
        while try !closes(with: "}", isFirst: members.isEmpty) {
            let key = try key()
            try skipSpace()
            guard take(":") else { throw error(.syntax, "a colon is missing behind the name") }
            try skipSpace()
            if recordsLines { path = outer.isEmpty ? key : "\(outer).\(key)" }
            members.append(JSONObject.Member(key: key, value: try value()))
            path = outer
        }
        let object = JSONObject(members)
        if object.hasDuplicateKeys {
            throw error(.duplicateKey, "an object names one member twice")
        }
        return .object(object)
    }

    private mutating func array() throws(JSONError) -> JSONValue {
        var elements: [JSONValue] = []
        let outer = path
        while try !closes(with: "]", isFirst: elements.isEmpty) {
            if recordsLines { path = "\(outer)[\(elements.count)]" }
            elements.append(try value())
            path = outer
        }
        return .array(elements)
    }

    /// Steps over the comma before an element, or over the bracket behind the last one.
    private mutating func closes(
        with bracket: Unicode.Scalar, isFirst: Bool
    ) throws(JSONError) -> Bool {
        try skipSpace()
        if take(bracket) { return true }
        if isFirst { return false }
        guard take(",") else {
            throw error(.syntax, "a comma or \"\(bracket)\" is missing")
        }
        try skipSpace()
        return dialect == .json5 && take(bracket)
    }

    private mutating func key() throws(JSONError) -> String {
        let isQuoted =
            peek == UInt8(ascii: "\"") || (peek == UInt8(ascii: "'") && dialect == .json5)
        if isQuoted { return try string() }
        guard dialect == .json5 else { throw error(.syntax, "a quoted name is missing") }
        let start = position
        while let byte = peek, isNameByte(byte) { position += 1 }
        guard position > start else { throw error(.syntax, "a name is missing") }
        return String(decoding: text[start..<position], as: UTF8.self)
    }

    private func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"):
            true
        default: false
        }
    }

    private mutating func word(
        _ word: StaticString, _ value: JSONValue
    ) throws(JSONError) -> JSONValue {
        let end = position + word.utf8CodeUnitCount
        guard end <= text.count,
            (0..<word.utf8CodeUnitCount).allSatisfy({ text[position + $0] == word.utf8Start[$0] })
        else { throw error(.syntax, "a value is expected") }
        position = end
        return value
    }

    // MARK: Bytes

    var peek: UInt8? { position < text.count ? text[position] : nil }

    mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard peek == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    private mutating func skipByteOrderMark() {
        if text.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
    }

    private mutating func skipSpace() throws(JSONError) {
        while let byte = peek {
            switch byte {
            case 0x20, 0x0A, 0x0D, 0x09: position += 1
            case UInt8(ascii: "/") where dialect == .json5: try skipComment()
            default: return
            }
        }
    }

    private mutating func skipComment() throws(JSONError) {
        position += 1
        if take("/") {
            while let byte = peek, byte != 0x0A { position += 1 }
        } else if take("*") {
            while true {
                guard position + 1 < text.count else {
                    throw error(.syntax, "a comment has no end")
                }
                if text[position] == UInt8(ascii: "*"), text[position + 1] == UInt8(ascii: "/") {
                    break
                }
                position += 1
            }
            position += 2
        } else {
            throw error(.syntax, "a comment begins with two slashes or a slash and an asterisk")
        }
    }

    /// The line at the present position; counts on from the last call, so that all calls together
    /// read the document once.
    private mutating func currentLine() -> Int {
        for index in lineCursor.offset..<position where text[index] == 0x0A { lineCursor.line += 1 }
        lineCursor.offset = position
        return lineCursor.line
    }

    func error(_ code: JSONError.Code, _ message: String) -> JSONError {
        let place = lineAndColumn(at: position)
        return JSONError(code: code, message: message, line: place.line, column: place.column)
    }

    private func lineAndColumn(at offset: Int) -> (line: Int, column: Int) {
        var line = 1
        var lineStart = 0
        for index in 0..<min(offset, text.count) where text[index] == 0x0A {
            line += 1
            lineStart = index + 1
        }
        return (line, min(offset, text.count) - lineStart + 1)
    }
}
