// SPDX-License-Identifier: Apache-2.0

/// Limits on what a reader must hold in the head at once.
enum LengthRules {
    static let maximumFunctionLines = 70
    static let maximumFileLines = 700

    /// From here on a file needs an entry in ``longFiles``.
    static let remarkableFileLines = 400

    /// Files above ``remarkableFileLines`` with the length that each may have at most. An entry is
    /// only ever lowered or removed.
    static let longFiles: [String: Int] = [:]

    static func fileLength(
        _ file: SourceFile, longFiles: [String: Int] = LengthRules.longFiles
    ) -> [Finding] {
        guard file.isSwift else { return [] }
        let count = file.lineCount
        if count > maximumFileLines {
            return [
                file.finding(1, "has \(count) lines; no file has more than \(maximumFileLines)")
            ]
        }
        guard let allowed = longFiles[file.path] else {
            guard count > remarkableFileLines else { return [] }
            return [file.finding(1, "has \(count) lines; split it at \(remarkableFileLines)")]
        }
        if count > allowed {
            return [
                file.finding(1, "has grown from \(allowed) to \(count) lines; it may only shrink")
            ]
        }
        guard count <= remarkableFileLines else { return [] }
        return [file.finding(1, "is short enough now; remove its entry from the long files")]
    }

    static func functionLength(_ file: SourceFile) -> [Finding] {
        FunctionSpan.all(in: file).compactMap { span in
            guard span.lineCount > maximumFunctionLines else { return nil }
            return file.finding(
                span.firstLine,
                "\(span.name) has \(span.lineCount) lines; "
                    + "no function has more than \(maximumFunctionLines)")
        }
    }
}

/// The lines from a function's keyword to its closing brace.
struct FunctionSpan: Hashable {
    let name: String
    let firstLine: Int
    let lastLine: Int

    var lineCount: Int { lastLine - firstLine + 1 }

    private static let keywords: Set<String> = ["func", "init", "deinit", "subscript", "var"]

    static func all(in file: SourceFile) -> [FunctionSpan] {
        let code = file.code
        return code.indices.compactMap { index in
            guard code[index].kind == .word, keywords.contains(code[index].text),
                index == 0 || code[index - 1].text != ".",
                let open = bodyStart(in: code, after: index),
                let close = matchingBrace(in: code, from: open)
            else { return nil }
            let named = code[index].text == "func" || code[index].text == "var"
            let name = named && index + 1 < code.count ? code[index + 1].text : code[index].text
            return FunctionSpan(
                name: name, firstLine: code[index].line, lastLine: code[close].line)
        }
    }

    /// The brace that opens the body; nil for a requirement of a protocol and a stored property.
    private static func bodyStart(in code: [Token], after keyword: Int) -> Int? {
        let isProperty = code[keyword].text == "var"
        var depth = 0
        for index in code.indices[(keyword + 1)...] {
            let token = code[index]
            if token.kind == .word, depth == 0 {
                if keywords.contains(token.text) || token.text == "let" || token.text == "case" {
                    return nil
                }
                continue
            }
            guard token.kind == .mark else { continue }
            switch token.text {
            case "(", "[": depth += 1
            case ")", "]": depth -= 1
            case "{" where depth == 0: return index
            case "}" where depth == 0: return nil
            case "=" where depth == 0 && isProperty: return nil
            default: break
            }
            if depth < 0 { return nil }
        }
        return nil
    }

    private static func matchingBrace(in code: [Token], from open: Int) -> Int? {
        var depth = 0
        for index in open..<code.count where code[index].kind == .mark {
            if code[index].text == "{" { depth += 1 }
            if code[index].text == "}" { depth -= 1 }
            if depth == 0 { return index }
        }
        return nil
    }
}
