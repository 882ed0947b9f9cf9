// SPDX-License-Identifier: Apache-2.0

/// What must be written beside the code, and what must not.
enum CommentRules {
    static let licence = "SPDX-License-Identifier: Apache-2.0"

    /// The licence stands in the first lines of everything that a compiler or a shell reads.
    static func licenceHeader(_ file: SourceFile) -> [Finding] {
        let isScript = file.path.hasPrefix("Scripts/") || file.path.hasPrefix(".ci/")
        let isCode =
            [".swift", ".h", ".c", ".py", ".sh"].contains { file.path.hasSuffix($0) }
            || file.path == "Makefile"
        guard isCode || isScript else { return [] }
        guard !file.lines.prefix(3).contains(where: { $0.contains(licence) }) else { return [] }
        return [file.finding(1, "the first lines say \(licence)")]
    }

    /// A note of work left undone must name the issue where it will be found again.
    static func unnumberedNotes(_ file: SourceFile) -> [Finding] {
        comments(of: file).flatMap { comment in
            ["TODO", "FIXME", "XXX", "HACK"]
                .filter { comment.text.contains($0) && !isNumbered(comment.text, after: $0) }
                .map { file.finding(comment.line, "\($0) without the number of an issue") }
        }
    }

    private static func isNumbered(_ comment: String, after word: String) -> Bool {
        comment.firstRange(of: word).map { range in
            let rest = comment[range.upperBound...].drop { " (".contains($0) }
            return rest.first == "#" && rest.dropFirst().first?.isNumber == true
        } ?? true
    }

    /// Comments of Swift files, and of scripts the lines that begin with a number sign.
    private static func comments(of file: SourceFile) -> [(text: String, line: Int)] {
        if file.isSwift {
            return file.tokens.filter { $0.kind == .comment }.map { ($0.text, $0.line) }
        }
        guard file.path.hasPrefix("Scripts/") || file.path == "Makefile" else { return [] }
        return file.lines.enumerated()
            .filter { $0.element.drop { $0 == " " }.hasPrefix("#") }
            .map { (String($0.element), $0.offset + 1) }
    }

    /// What a proof of thread safety cannot do without.
    private static let proofWords = [
        "sendable", "unsafe", "safe to share", "thread", "lock", "mutex", "immutable", "confined",
    ]

    /// Whoever overrules the compiler about data races proves beside it that there is none.
    static func unprovenConcurrency(_ file: SourceFile) -> [Finding] {
        let claims =
            file.positions(of: ["@", "unchecked", "Sendable"])
            + file.positions(of: ["nonisolated", "(", "unsafe", ")"])
        return claims.sorted().compactMap { position in
            let line = file.code[position].line
            let comment = commentBlock(of: file, around: line).lowercased()
            guard !proofWords.contains(where: comment.contains) else { return nil }
            return file.finding(line, "no comment beside it proves that this is free of data races")
        }
    }

    /// The comment on a line and the lines directly above and below it; above, attributes may stand
    /// between.
    private static func commentBlock(of file: SourceFile, around line: Int) -> String {
        let lines = file.lines
        var text = ""
        var index = line - 1
        if let slashes = lines[index].firstRange(of: "//") {
            text += lines[index][slashes.lowerBound...]
        }
        index -= 1
        while index >= 0 {
            let stripped = lines[index].drop { $0 == " " }
            guard stripped.hasPrefix("//") || stripped.hasPrefix("@") else { break }
            if stripped.hasPrefix("//") { text += " " + stripped }
            index -= 1
        }
        for below in lines[line...] {
            let stripped = below.drop { $0 == " " }
            guard stripped.hasPrefix("//") else { break }
            text += " " + stripped
        }
        return text
    }
}
