// SPDX-License-Identifier: Apache-2.0
public import Foundation

/// Real signed data that lies beside the project, in `../shared/vectors`, and is no part of it.
///
/// A suite gives its table as `arguments: OutsideVectors.names(in:ending:)`, which is empty where
/// the folder is absent, and has one test more that calls ``require(_:of:)``.
public enum OutsideVectors {
    /// The folder, or nil where it is absent.
    public static let folder: URL? = candidates.first { candidate in
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: candidate.path, isDirectory: &isFolder)
            && isFolder.boolValue
    }

    private static let candidates: [URL] = [
        // This file is Tests/CounterfoilTestSupport/OutsideVectors.swift of the package.
        URL(fileURLWithPath: #filePath).appendingPathComponent("../../../.."),
        URL(fileURLWithPath: FileManager.default.currentDirectoryPath)
            .appendingPathComponent(".."),
    ].map { $0.standardizedFileURL.appendingPathComponent("shared/vectors") }

    /// The names in a folder that end so, without the ending, sorted; none where it is absent.
    public static func names(in subfolder: String, ending: String) -> [String] {
        guard let folder else { return [] }
        let path = folder.appendingPathComponent(subfolder).path
        let names = try? FileManager.default.contentsOfDirectory(atPath: path)
        return (names ?? []).filter { $0.hasSuffix(ending) }
            .map { String($0.dropLast(ending.count)) }.sorted()
    }

    /// The bytes of a file, by its path inside the folder.
    public static func bytes(_ path: String) throws -> [UInt8] {
        guard let folder else { throw Absent(message: "the outside vectors are absent") }
        return [UInt8](try Data(contentsOf: folder.appendingPathComponent(path)))
    }

    /// The text of a file without white space at its ends.
    public static func text(_ path: String) throws -> String {
        String(decoding: try bytes(path), as: UTF8.self)
            .trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Tells whether the vectors are there; where they are not, says how many cases are skipped.
    ///
    /// - Throws: ``Absent`` if they are absent and the environment says `CI=true`: there, skipping
    ///   would hide a broken verifier.
    @discardableResult
    public static func require(_ caseCount: Int, of suite: String) throws -> Bool {
        guard folder == nil else { return true }
        let message = "\(suite): \(caseCount) cases skipped, ../shared/vectors is absent"
        guard ProcessInfo.processInfo.environment["CI"] != "true" else {
            throw Absent(message: message)
        }
        print(message)
        return false
    }

    /// That the folder is not there.
    public struct Absent: Error, CustomStringConvertible {
        let message: String

        /// Which suite, and how many cases.
        public var description: String { message }
    }
}
