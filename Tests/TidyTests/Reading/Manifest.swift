// SPDX-License-Identifier: Apache-2.0

/// The targets of `Package.swift` with the dependencies that each declares, read as text.
struct Manifest: Sendable {
    struct Target: Hashable, Sendable {
        enum Kind: Sendable { case library, executable, test, system }

        let name: String
        let kind: Kind
        let dependencies: Set<String>
        let line: Int
    }

    /// The calls that make a target: SwiftPM's own and the manifest's short forms.
    private static let makers: [String: Target.Kind] = [
        "module": .library, "target": .library, "executableTarget": .executable, "tests": .test,
        "testTarget": .test, "system": .system, "systemLibrary": .system,
    ]

    let targets: [Target]

    /// - Parameter file: `Package.swift`. A call whose name is not a literal (the short forms' own
    ///   bodies) makes no target.
    init(_ file: SourceFile) {
        let code = file.code
        targets = code.indices.compactMap { index in
            guard let kind = Self.makers[code[index].text], code[index].kind == .word,
                index + 1 < code.count, code[index + 1].text == "(",
                index == 0 || code[index - 1].text != "func"
            else { return nil }
            return Self.target(in: code, from: index + 1, kind: kind)
        }
    }

    private static func target(in code: [Token], from open: Int, kind: Target.Kind) -> Target? {
        var name: String?
        var dependencies: Set<String> = []
        var (depth, brackets) = (0, 0)
        var hasReadList = kind == .system
        for token in code[open...] {
            switch token.text {
            case "(" where token.kind == .mark: depth += 1
            case ")" where token.kind == .mark: depth -= 1
            case "[" where token.kind == .mark: brackets += 1
            case "]" where token.kind == .mark:
                brackets -= 1
                if brackets == 0 { hasReadList = true }
            default:
                guard token.kind == .string else {
                    if name == nil, token.kind == .word, token.text != "name" { return nil }
                    continue
                }
                if name == nil {
                    name = token.text
                } else if brackets > 0, !hasReadList {
                    dependencies.insert(token.text)
                }
            }
            if depth == 0 { break }
        }
        guard let name else { return nil }
        return Target(
            name: name, kind: kind, dependencies: dependencies, line: code[open].line)
    }

    func target(_ name: String) -> Target? {
        targets.first { $0.name == name }
    }
}
