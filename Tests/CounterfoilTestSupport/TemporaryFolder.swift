// SPDX-License-Identifier: Apache-2.0
import Foundation

/// A folder for one test's files, gone when nobody holds it any more.
package final class TemporaryFolder: Sendable {
    package let path: String

    package init() {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("counterfoil-\(UUID().uuidString)")
        path = folder.path
        do {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: false,
                attributes: [.posixPermissions: 0o700])
        } catch {
            preconditionFailure("no temporary folder could be made: \(error)")
        }
    }

    deinit {
        // A test may have taken it away already.
        try? FileManager.default.removeItem(atPath: path)
    }

    /// The path of a file in the folder.
    package func file(_ name: String) -> String {
        "\(path)/\(name)"
    }
}
