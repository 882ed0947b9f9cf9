// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

/// The project's own files: everything below the package's root that is not built or fetched.
struct SourceTree: Sendable {
    let files: [SourceFile]

    /// Files that are not UTF-8, by path.
    let binaries: [String]

    /// The tree that this test was built from.
    static let project = SourceTree(root: projectRoot)

    static let projectRoot = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// Folders at the root that hold results, not sources; the ones in `.gitignore`.
    private static func isResult(_ name: String) -> Bool {
        name == ".git" || name == ".swiftpm" || name == ".github" || name == "var"
            || name.hasPrefix(".build")
    }

    init(root: URL) {
        var files: [SourceFile] = []
        var binaries: [String] = []
        for path in Self.paths(below: root) {
            guard let data = try? Data(contentsOf: root.appendingPathComponent(path)) else {
                continue  // A dangling link or a file that is being replaced is not ours to judge.
            }
            if let text = String(validating: data, as: UTF8.self), !text.utf8.contains(0) {
                files.append(SourceFile(path: path, text: text))
            } else {
                binaries.append(path)
            }
        }
        self.files = files
        self.binaries = binaries
    }

    private static func paths(below root: URL) -> [String] {
        let all = FileManager.default.enumerator(atPath: root.path)
        var paths: [String] = []
        while let path = all?.nextObject() as? String {
            let name = path.split(separator: "/").last.map(String.init) ?? path
            if isResult(path) || name == "__pycache__" {
                all?.skipDescendants()
                continue
            }
            var isFolder: ObjCBool = false
            let place = root.appendingPathComponent(path).path
            guard FileManager.default.fileExists(atPath: place, isDirectory: &isFolder) else {
                continue
            }
            if !isFolder.boolValue, !name.hasSuffix(".profraw") { paths.append(path) }
        }
        return paths.sorted()
    }

    var swiftFiles: [SourceFile] { files.filter(\.isSwift) }

    /// Judges every file by one rule.
    func findings(_ rule: (SourceFile) -> [Finding]) -> [Finding] {
        files.flatMap(rule)
    }
}

/// Records one issue for each finding.
func expectNone(_ findings: [Finding], sourceLocation: SourceLocation = #_sourceLocation) {
    for finding in findings { Issue.record("\(finding)", sourceLocation: sourceLocation) }
}
