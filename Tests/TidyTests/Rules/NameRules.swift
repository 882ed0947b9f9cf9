// SPDX-License-Identifier: Apache-2.0

/// Names say what a thing holds, not that it is a thing.
enum NameRules {
    static let emptyFolderNames: Set<String> = [
        "models", "utils", "utilities", "helpers", "managers", "services", "extensions", "common",
        "misc", "shared", "base", "new", "old", "legacy", "deprecated", "types", "protocols",
    ]

    static let emptySuffixes = [
        "Manager", "Helper", "Helpers", "Utils", "Utilities", "Impl", "Service", "Info", "Base",
    ]

    /// Words of Apple's and of the standards for things that have no better name.
    static let foreignTerms: Set<String> = ["RenewalInfo", "JWSRenewalInfo", "SignerInfo"]

    static func folderNames(_ file: SourceFile) -> [Finding] {
        let parts = file.components
        guard parts.count > 1, parts[0] == "Sources" || parts[0] == "Tests" else { return [] }
        return parts.dropFirst().dropLast()
            .filter { emptyFolderNames.contains($0.lowercased()) }
            .map { file.finding(1, "the folder \($0) does not say what it holds") }
    }

    static func typeNames(_ file: SourceFile) -> [Finding] {
        let keywords: Set<String> = ["class", "struct", "enum", "actor", "protocol", "typealias"]
        return file.code.indices.dropLast().compactMap { index in
            let (keyword, name) = (file.code[index], file.code[index + 1])
            guard keyword.kind == .word, keywords.contains(keyword.text), name.kind == .word,
                !foreignTerms.contains(name.text),
                let suffix = emptySuffixes.first(where: { name.text.hasSuffix($0) })
            else { return nil }
            return file.finding(
                name.line, "\(name.text): \"\(suffix)\" says nothing; name its duty")
        }
    }

    /// Sources never reach into another module's inside.
    static func testableImports(_ file: SourceFile) -> [Finding] {
        guard file.isInSources else { return [] }
        return file.positions(of: ["@", "testable"]).map { position in
            file.finding(file.code[position].line, "@testable is for tests")
        }
    }
}
