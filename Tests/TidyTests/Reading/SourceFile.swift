// SPDX-License-Identifier: Apache-2.0

/// A file of the project by its path from the package's root.
struct SourceFile: Sendable {
    let path: String
    let text: String

    /// The tokens of a Swift file; of other files none.
    let tokens: [Token]

    /// The tokens without comments.
    let code: [Token]

    init(path: String, text: String) {
        self.path = path
        self.text = text
        tokens = path.hasSuffix(".swift") ? Lexer.tokens(of: text) : []
        code = tokens.filter { $0.kind != .comment }
    }

    var isSwift: Bool { path.hasSuffix(".swift") }

    /// The folders and the file's name.
    var components: [Substring] { path.split(separator: "/") }

    /// The target that a file of `Sources` or `Tests` belongs to.
    var target: String? {
        let parts = components
        guard parts.count > 2, parts[0] == "Sources" || parts[0] == "Tests" else { return nil }
        return String(parts[1])
    }

    var isInSources: Bool { path.hasPrefix("Sources/") }

    var lines: [Substring] { text.split(separator: "\n", omittingEmptySubsequences: false) }

    /// The number of lines, a last one without a line break included.
    var lineCount: Int {
        text.utf8.count { $0 == UInt8(ascii: "\n") }
            + (text.isEmpty || text.hasSuffix("\n") ? 0 : 1)
    }

    func finding(_ line: Int, _ message: String) -> Finding {
        Finding(path: path, line: line, message: message)
    }

    /// The places in the code where these tokens follow one another; an exclamation mark counts only
    /// directly behind its word, where it is not the start of a negation.
    func positions(of sequence: [String]) -> [Int] {
        guard let first = sequence.first, code.count >= sequence.count else { return [] }
        return (0...code.count - sequence.count).filter { start in
            code[start].text == first
                && sequence.indices.allSatisfy {
                    let token = code[start + $0]
                    return token.kind != .string && token.text == sequence[$0]
                        && (token.text != "!" || token.isAttached)
                }
        }
    }
}
