// SPDX-License-Identifier: Apache-2.0

/// The stable names that sources give to verdicts, checks and error codes.
enum DocumentedNames {
    static let document = "docs/errors.md"

    /// The names with the places where they are given: raw values in files of errors, checks and
    /// verdicts, and whatever is passed as `check:`, `code:` or a verdict's `rawValue:` anywhere in the sources.
    static func names(in file: SourceFile) -> [(name: String, line: Int)] {
        guard file.isInSources else { return [] }
        let fileName = file.components.last ?? ""
        let isCatalogue = ["Error.swift", "Check.swift", "Verdict.swift"]
            .contains { fileName.hasSuffix($0) }
        let code = file.code
        return code.indices.compactMap { index in
            guard index >= 2, code[index].kind == .string, isName(code[index].text) else {
                return nil
            }
            let isArgument =
                code[index - 1].text == ":" && ["check", "code"].contains(code[index - 2].text)
            let isRawValue =
                code[index - 1].text == ":" && code[index - 2].text == "rawValue"
                || code[index - 1].text == "="
            let isVerdict = isRawValue && index >= 4 && code[index - 4].text == "Verdict"
            guard isArgument || isVerdict || (isCatalogue && isRawValue) else { return nil }
            return (code[index].text, code[index].line)
        }
    }

    /// Small letters, digits, hyphens, underscores and points; a sentence is no name.
    private static func isName(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                    || [UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: ".")].contains(byte)
            }
    }

    static func findings(_ file: SourceFile, documented: Set<String>) -> [Finding] {
        names(in: file).filter { !documented.contains($0.name) }
            .map { file.finding($0.line, "\($0.name) is missing in \(document)") }
    }

    /// The names in a document: whatever stands between backquotes.
    static func documented(in text: String) -> Set<String> {
        let pieces = text.split(separator: "`", omittingEmptySubsequences: false)
        return Set(pieces.enumerated().filter { $0.offset % 2 == 1 }.map { String($0.element) })
    }
}
