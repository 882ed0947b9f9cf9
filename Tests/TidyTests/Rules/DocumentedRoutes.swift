// SPDX-License-Identifier: Apache-2.0

/// The addresses of the HTTP interface and their headings in the reference.
enum DocumentedRoutes {
    static let document = "docs/http.md"

    /// The routes that a source declares, as `METHOD /path`: `.secret(.get, "/v1/…")`,
    /// `.customer(…)`, `.key(…)` or `.open(…)`.
    static func routes(in file: SourceFile) -> [String] {
        let code = file.code
        return code.indices.compactMap { index in
            guard ["secret", "customer", "key", "open"].contains(code[index].text),
                index + 5 < code.count,
                code[index + 1].text == "(", code[index + 2].text == ".",
                code[index + 4].text == ",", code[index + 5].kind == .string,
                code[index + 5].text.hasPrefix("/")
            else { return nil }
            return "\(code[index + 3].text.uppercased()) \(code[index + 5].text)"
        }
    }

    /// The headings of the third level that hold nothing but a route.
    static func headings(in file: SourceFile) -> [String] {
        file.lines.filter { $0.hasPrefix("### `") && $0.hasSuffix("`") }
            .map { String($0.dropFirst(5).dropLast()) }
    }
}
