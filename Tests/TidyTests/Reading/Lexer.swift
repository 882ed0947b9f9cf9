// SPDX-License-Identifier: Apache-2.0

/// Takes Swift source apart into words, marks, strings and comments.
///
/// It knows nested comments, raw and multi-line strings and interpolation, so a rule sees code where
/// code is and never a word inside a text. Bare regular-expression literals are not known; the
/// project does not use them.
struct Lexer {
    private let bytes: [UInt8]
    private var position = 0
    private var line = 1
    private var tokens: [Token] = []
    private var lastEnd = 0

    static func tokens(of source: String) -> [Token] {
        var lexer = Lexer(bytes: Array(source.utf8))
        while lexer.position < lexer.bytes.count { lexer.step() }
        return lexer.tokens
    }

    private init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    private mutating func step() {
        let byte = bytes[position]
        if byte == UInt8(ascii: "\n") {
            line += 1
            position += 1
        } else if byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") {
            position += 1
        } else if starts(with: "//") {
            lineComment()
        } else if starts(with: "/*") {
            blockComment()
        } else if isWord(byte) {
            word()
        } else if let hashes = hashesBeforeQuote() {
            string(hashes: hashes)
        } else {
            emit(.mark, from: position, to: position + 1, at: line)
            position += 1
        }
    }

    private func starts(with text: StaticString) -> Bool {
        let count = text.utf8CodeUnitCount
        guard position + count <= bytes.count else { return false }
        return (0..<count).allSatisfy { bytes[position + $0] == text.utf8Start[$0] }
    }

    private func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"),
            0x80...0xFF:
            true
        default: false
        }
    }

    private mutating func emit(_ kind: Token.Kind, from start: Int, to end: Int, at line: Int) {
        let text = String(decoding: bytes[start..<end], as: UTF8.self)
        let isAttached = start > 0 && start == lastEnd
        tokens.append(Token(kind: kind, text: text, line: line, isAttached: isAttached))
        lastEnd = end
    }

    private mutating func word() {
        let start = position
        while position < bytes.count, isWord(bytes[position]) { position += 1 }
        emit(.word, from: start, to: position, at: line)
    }

    private mutating func lineComment() {
        let start = position
        while position < bytes.count, bytes[position] != UInt8(ascii: "\n") { position += 1 }
        emit(.comment, from: start, to: position, at: line)
    }

    private mutating func blockComment() {
        let (start, startLine) = (position, line)
        var depth = 0
        repeat {
            if starts(with: "/*") {
                depth += 1
                position += 2
            } else if starts(with: "*/") {
                depth -= 1
                position += 2
            } else {
                if bytes[position] == UInt8(ascii: "\n") { line += 1 }
                position += 1
            }
        } while depth > 0 && position < bytes.count
        emit(.comment, from: start, to: position, at: startLine)
    }

    /// How many number signs stand before the quote here, or nil where no string begins.
    private func hashesBeforeQuote() -> Int? {
        var end = position
        while end < bytes.count, bytes[end] == UInt8(ascii: "#") { end += 1 }
        return end < bytes.count && bytes[end] == UInt8(ascii: "\"") ? end - position : nil
    }

    private mutating func string(hashes: Int) {
        position += hashes
        let isMultiline = starts(with: "\"\"\"")
        position += isMultiline ? 3 : 1
        var (start, startLine) = (position, line)
        while position < bytes.count {
            if closesString(hashes: hashes, isMultiline: isMultiline) {
                emit(.string, from: start, to: position, at: startLine)
                position += (isMultiline ? 3 : 1) + hashes
                return
            }
            let byte = bytes[position]
            guard byte == UInt8(ascii: "\\"), followed(byHashes: hashes, from: position + 1) else {
                if byte == UInt8(ascii: "\n") { line += 1 }
                position += 1
                continue
            }
            let escaped = position + 1 + hashes
            if escaped < bytes.count, bytes[escaped] == UInt8(ascii: "(") {
                emit(.string, from: start, to: position, at: startLine)
                position = escaped
                interpolation()
                (start, startLine) = (position, line)
            } else {
                position = min(escaped + 1, bytes.count)
            }
        }
        emit(.string, from: start, to: position, at: startLine)
    }

    private func closesString(hashes: Int, isMultiline: Bool) -> Bool {
        guard isMultiline ? starts(with: "\"\"\"") : starts(with: "\"") else { return false }
        return followed(byHashes: hashes, from: position + (isMultiline ? 3 : 1))
    }

    private func followed(byHashes hashes: Int, from start: Int) -> Bool {
        start + hashes <= bytes.count
            && bytes[start..<start + hashes].allSatisfy { $0 == UInt8(ascii: "#") }
    }

    /// The parenthesis here and all up to the one that closes it.
    private mutating func interpolation() {
        var depth = 0
        repeat {
            if bytes[position] == UInt8(ascii: "(") { depth += 1 }
            if bytes[position] == UInt8(ascii: ")") { depth -= 1 }
            step()
        } while depth > 0 && position < bytes.count
    }
}
