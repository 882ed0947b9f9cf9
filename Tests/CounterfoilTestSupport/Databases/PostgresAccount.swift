// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc

/// Runs the programs of PostgreSQL under the account that owns its files, since a server refuses to
/// run as root.
struct PostgresAccount: Sendable {
    static let user = "counterfoil"

    /// Others on this machine may reach the port.
    static let password = String(
        (0..<4).map { _ in String(UInt32.random(in: 0...UInt32.max), radix: 16) }.joined())

    private let owner: (user: uid_t, group: gid_t)

    /// Where the files lie, if not where everybody sees them.
    private var disk: SmallDisk?

    /// - Parameter folder: Whose owner to be.
    init(owning folder: String) throws {
        var status = stat()
        guard stat(folder, &status) == 0 else {
            throw ChildProcess.Failure(description: "\(folder) cannot be looked at")
        }
        owner = (status.st_uid, status.st_gid)
    }

    /// The same account with the disk before its eyes.
    func seeing(_ disk: SmallDisk) -> PostgresAccount {
        var account = self
        account.disk = disk
        return account
    }

    /// Makes a folder of root's the account's.
    func takeOver(_ folder: String) throws {
        let words = ["chown", "\(owner.user):\(owner.group)", folder]
        let (status, output) = try ChildProcess.run("/usr/bin/env", (disk?.prefix ?? []) + words)
        guard status == 0 else { throw ChildProcess.Failure(description: output) }
    }

    private var prefix: [String] {
        let identity = [
            "setpriv", "--reuid=\(owner.user)", "--regid=\(owner.group)", "--clear-groups",
        ]
        return (disk?.prefix ?? []) + (geteuid() == 0 ? identity : [])
    }

    /// The path of one of PostgreSQL's programs.
    func program(_ name: String) -> String {
        let bin = ProcessInfo.processInfo.environment["COUNTERFOIL_TEST_POSTGRES_BIN"] ?? ""
        return "\(bin)/\(name)"
    }

    func start(_ program: String, _ arguments: [String]) throws -> ChildProcess {
        try ChildProcess("/usr/bin/env", prefix + [program] + arguments)
    }

    func runs(_ program: String, _ arguments: [String]) throws -> (status: Int32, output: String) {
        try ChildProcess.run("/usr/bin/env", prefix + [program] + arguments)
    }

    func run(_ program: String, _ arguments: [String]) throws {
        let (status, output) = try runs(program, arguments)
        guard status == 0 else {
            throw ChildProcess.Failure(description: "\(program) ended with \(status): \(output)")
        }
    }
}
