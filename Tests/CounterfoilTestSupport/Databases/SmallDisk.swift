// SPDX-License-Identifier: Apache-2.0
import Glibc

/// A disk of some megabytes, in memory, that only chosen processes see: it is mounted in a space of
/// names of its own, and gone with the last of them.
package final class SmallDisk: Sendable {
    /// Whether this account may mount something; root may, unless a container forbids it.
    package static let canBeMade: Bool = {
        let result = try? ChildProcess.run(
            "/usr/bin/env", ["unshare", "--mount", "mount", "-t", "tmpfs", "tmpfs", "/mnt"])
        return result?.status == 0
    }()

    /// The process that keeps the space of names.
    private let holder: ChildProcess

    /// Mounts the disk.
    ///
    /// - Parameters:
    ///   - path: A folder.
    ///   - file: Where to leave the number of the process that keeps it.
    init(megabytes: Int, at path: String, leavingItsNumberIn file: String) throws {
        let script = """
            echo $$ >"$0" && mount -t tmpfs -o size=\(megabytes)m,mode=0700 tmpfs "$1" &&
            echo mounted && exec tail -f "$0"
            """
        holder = try ChildProcess(
            "/usr/bin/env", ["unshare", "--mount", "sh", "-c", script, file, path])
        _ = try holder.firstLine { $0 == "mounted" ? true : nil }
    }

    deinit {
        holder.signal(SIGKILL)
        holder.wait()
    }

    /// The beginning of a command that shall see the disk.
    var prefix: [String] { ["nsenter", "--mount", "--target", "\(holder.pid)", "--"] }
}
