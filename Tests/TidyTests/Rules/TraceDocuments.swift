// SPDX-License-Identifier: Apache-2.0

/// The documents that trace what is asked of the project to its code and tests.
enum TraceDocuments {
    static let requirements = "docs/requirements.md"
    static let fieldCases = "docs/field-cases.md"

    /// How many rows each of the five source articles has.
    static let requirementCounts = [36, 16, 19, 43, 23]

    static var requirementIDs: [String] {
        requirementCounts.enumerated().flatMap { article, count in
            (1...count).map { "00\(article)-" + ($0 < 10 ? "0" : "") + "\($0)" }
        }
    }

    /// One row of a table whose first cell is an id: digits, perhaps with a hyphen.
    struct Row {
        let line: Int
        let id: String
        let cells: [String]
    }

    static func rows(of file: SourceFile) -> [Row] {
        file.lines.enumerated().compactMap { index, line in
            let cells = line.split(separator: "|", omittingEmptySubsequences: false)
                .dropFirst().dropLast().map(trimmed)
            guard cells.count == 5, let id = cells.first, id.first?.isNumber == true else {
                return nil
            }
            return Row(line: index + 1, id: id, cells: cells)
        }
    }

    /// What the tree must hold for the documents to be true.
    struct Tree {
        private let paths: Set<String>

        /// The files in which a test of this title stands.
        private let tests: [String: [SourceFile]]

        init(_ files: [SourceFile]) {
            paths = Set(files.map(\.path))
            var tests: [String: [SourceFile]] = [:]
            for file in files where file.path.hasPrefix("Tests/") {
                for place in file.positions(of: ["@", "Test", "("]) {
                    let title = place + 3
                    guard title < file.code.count, file.code[title].kind == .string else {
                        continue
                    }
                    tests[file.code[title].text, default: []].append(file)
                }
            }
            self.tests = tests
        }

        func hasFile(_ name: String) -> Bool {
            paths.contains(name) || paths.contains("Sources/" + name)
        }

        func hasTest(_ title: String, in suite: String) -> Bool {
            (tests[title] ?? []).contains { file in
                ["struct", "class", "enum"].contains {
                    !file.positions(of: [$0, suite]).isEmpty
                }
            }
        }
    }

    /// - Parameters:
    ///   - state: The column with the state of a row.
    ///   - files: The column with the names of files, if there is one.
    static func findings(
        _ file: SourceFile, in tree: Tree, state: Int, files: Int?
    ) -> [Finding] {
        rows(of: file).flatMap { row -> [Finding] in
            var messages: [String] = []
            let isBuilt = row.cells[state] == "done" || row.cells[state].hasPrefix("partly, ")
            if !isState(row.cells[state]) { messages.append("\(row.cells[state]) is no state") }
            let names = files.map { quoted(row.cells[$0], by: "`") } ?? []
            messages += names.filter { !tree.hasFile($0) }.map { "there is no file \($0)" }
            let tests = pieces(row.cells[4])
            if isBuilt, tests.isEmpty || files != nil && names.isEmpty {
                messages.append("what is built names its code and its tests")
            }
            for test in tests {
                guard let suite = quoted(test, by: "`").first,
                    let title = quoted(test, by: "\"").first
                else {
                    messages.append("expected `Suite`: \"Title\", found \(test)")
                    continue
                }
                if !tree.hasTest(title, in: suite) {
                    messages.append("\(suite) has no test \"\(title)\"")
                }
            }
            return messages.map { file.finding(row.line, "\(row.id): \($0)") }
        }
    }

    /// `done`, `later`, or `step 5`, `steps 3, 5`, also behind `partly, `.
    private static func isState(_ text: String) -> Bool {
        if text == "done" || text == "later" { return true }
        let rest = text.hasPrefix("partly, ") ? text.dropFirst(8) : text[...]
        guard let space = rest.firstIndex(of: " ") else { return false }
        let steps = rest[space...].split(separator: ",").map { Int(trimmed($0)) ?? 0 }
        return rest[..<space] == (steps.count == 1 ? "step" : "steps")
            && steps.allSatisfy((3...10).contains) && steps == steps.sorted()
    }

    private static func pieces(_ cell: String) -> [String] {
        cell.split(separator: "<br>").map(trimmed).filter { !$0.isEmpty }
    }

    private static func quoted(_ text: String, by mark: Character) -> [String] {
        let pieces = text.split(separator: mark, omittingEmptySubsequences: false)
        return pieces.enumerated().filter { $0.offset % 2 == 1 }.map { String($0.element) }
    }

    private static func trimmed(_ text: some StringProtocol) -> String {
        let kept = text.drop { $0 == " " }
        return String(kept.reversed().drop { $0 == " " }.reversed())
    }
}
