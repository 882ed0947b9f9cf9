// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc

/// A PostgreSQL server of one test's own, which the test may stop, break and promote.
///
/// It waits for the disk as a real one does, unless its settings say otherwise. `Scripts/with-postgres`
/// says where its files go, and ends what a killed test leaves running.
///
/// `@unchecked Sendable`: `process` and `isUp` are touched only with `condition` held, the rest is
/// constant.
package final class PostgresCluster: @unchecked Sendable {
    /// How a server is stopped.
    package enum Stop: Sendable {
        /// As if its power failed, but for what the system still writes.
        case immediate

        /// Connections are ended, and what they began is undone.
        case fast

        fileprivate var signal: Int32 { self == .immediate ? SIGQUIT : SIGINT }
    }

    /// What of a server lies on a disk of its own.
    package enum DiskContent: String, Sendable {
        case tables = "data"
        case log
    }

    private static let folders: String? = {
        let value = ProcessInfo.processInfo.environment["COUNTERFOIL_TEST_CLUSTERS"]
        return value == "" ? nil : value
    }()

    /// Whether this machine has the programs and a place for servers.
    package static var canBeMade: Bool { folders != nil }

    /// The folder of the server, which its account owns.
    package let folder: String
    package let port: UInt16
    private let settings: [String]
    private let account: PostgresAccount
    private let condition = NSCondition()
    private var process: ChildProcess?
    private var isUp = false

    /// Makes the files of a new server; nothing runs yet.
    ///
    /// - Parameters:
    ///   - settings: More settings, as `name=value`.
    ///   - megabytes: The size of a disk of its own; see ``SmallDisk/canBeMade``.
    ///   - content: What lies on that disk.
    package convenience init(
        settings: [String] = [], onDiskOf megabytes: Int? = nil,
        holding content: DiskContent = .tables
    ) throws {
        try self.init(settings, megabytes.map { ($0, content) }) { folder, account in
            let template = try Self.template.get()
            try account.run("cp", ["-a", "\(template)/.", "\(folder)/data"])
            guard megabytes != nil else { return }
            // Tables and log lie apart: a full disk ends a server only if its log lies there.
            try account.run("cp", ["-a", "\(folder)/data/pg_wal/.", "\(folder)/log"])
            try account.run("rm", ["-r", "\(folder)/data/pg_wal"])
            try account.run("ln", ["-s", "\(folder)/log", "\(folder)/data/pg_wal"])
        }
    }

    /// Copies a running primary, which the new server will follow.
    package convenience init(following primary: PostgresCluster) throws {
        let source =
            "host=127.0.0.1 port=\(primary.port) user=\(PostgresAccount.user) "
            + "password=\(PostgresAccount.password)"
        try self.init([], nil) { folder, account in
            try account.run(
                account.program("pg_basebackup"),
                [
                    "-D", "\(folder)/data", "-d", source, "-R", "-X", "stream",
                    "--checkpoint=fast", "--no-sync",
                ])
        }
    }

    private init(
        _ settings: [String], _ disk: (megabytes: Int, content: DiskContent)?,
        _ fill: (_ folder: String, _ account: PostgresAccount) throws -> Void
    ) throws {
        guard let folders = Self.folders else { throw TestPostgres.Absent() }
        folder = "\(folders)/c\(UInt32.random(in: 0...UInt32.max))"
        port = QuietPort.find()
        self.settings = settings + ["external_pid_file=\(folder).pid"]
        let outside = try PostgresAccount(owning: folders)
        try outside.run("mkdir", ["-m", "0700", folder, "\(folder)/data", "\(folder)/log"])
        if let disk {
            let path = "\(folder)/\(disk.content.rawValue)"
            account = outside.seeing(
                try SmallDisk(
                    megabytes: disk.megabytes, at: path,
                    leavingItsNumberIn: "\(folder)-disk.pid"))
            try account.takeOver(path)
        } else {
            account = outside
        }
        try fill(folder, account)
    }

    deinit {
        process?.signal(SIGQUIT)
        process?.wait()
        _ = try? ChildProcess.run("/usr/bin/env", ["rm", "-rf", folder, "\(folder)-disk.pid"])
    }

    /// An empty server, made once and copied, since that takes a tenth of the time.
    private static let template = Result { () throws -> String in
        guard let folders else { throw TestPostgres.Absent() }
        let account = try PostgresAccount(owning: folders)
        let password = "\(folders)/password"
        // Runs that follow each other share the folder, and each begins with none.
        let template = "\(folders)/template-\(getpid())"
        try account.run("sh", ["-c", "printf %s \(PostgresAccount.password) >\(password)"])
        try account.run(
            account.program("initdb"),
            [
                "-D", template, "-U", PostgresAccount.user, "--pwfile=\(password)",
                "--auth=scram-sha-256", "--encoding=UTF8", "--locale=C", "--wal-segsize=1",
                "--no-sync",
            ])
        return template
    }

    // MARK: Running

    /// Starts the server and returns when it takes connections.
    package func start() throws {
        let all =
            [
                "listen_addresses=127.0.0.1", "unix_socket_directories=", "max_connections=60",
                "shared_buffers=16MB", "jit=off", "lc_messages=C",
            ] + settings
        let process = try account.start(
            account.program("postgres"),
            ["-D", "\(folder)/data", "-p", "\(port)"] + all.flatMap { ["-c", $0] })
        _ = try process.firstLine { $0.contains("ready to accept") ? true : nil }
        condition.withLock {
            self.process = process
            isUp = true
            condition.broadcast()
        }
    }

    /// Stops the server and returns when it is gone.
    package func stop(_ how: Stop) {
        let process = condition.withLock {
            isUp = false
            return self.process
        }
        process?.signal(how.signal)
        process?.wait()
    }

    /// Leaves no space on the disk of the log.
    package func fillLogDisk() throws {
        try account.run("sh", ["-c", "cat /dev/zero >\(folder)/log/filler 2>/dev/null; true"])
    }

    /// Makes space there again.
    package func emptyLogDisk() throws {
        try account.run("rm", ["\(folder)/log/filler"])
    }

    package func restart(_ how: Stop) throws {
        stop(how)
        try start()
    }

    /// Waits while the server is being started again.
    package func awaitStart() {
        condition.withLock { while !isUp { condition.wait() } }
    }

    /// Starts it again as a standby that follows nobody.
    package func becomeStandby() throws {
        stop(.fast)
        try account.run("touch", ["\(folder)/data/standby.signal"])
        try start()
    }

    /// Makes a standby the primary.
    package func promote() throws {
        try account.run(account.program("pg_ctl"), ["promote", "-w", "-D", "\(folder)/data"])
    }

    // MARK: Use

    /// The address of the superuser, or of a role without a password.
    package func address(
        hosts: [PostgresCluster] = [], role: String? = nil, words: String? = nil
    ) -> String {
        let servers = (hosts.isEmpty ? [self] : hosts).map { "127.0.0.1:\($0.port)" }
        let user = role ?? "\(PostgresAccount.user):\(PostgresAccount.password)"
        return "postgres://\(user)@\(servers.joined(separator: ","))/postgres"
            + (words.map { "?\($0)" } ?? "")
    }

    /// Runs statements as the superuser, in a program of PostgreSQL's own.
    ///
    /// - Returns: Whether all succeeded, and what was printed.
    @discardableResult
    package func query(_ statements: String...) throws -> (isDone: Bool, output: String) {
        let (status, output) = try account.runs(
            account.program("psql"),
            ["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", address()]
                + statements.flatMap { ["-c", $0] })
        return (status == 0, output)
    }

    /// Runs a program as the account that owns the server.
    package func run(_ program: String, _ arguments: [String]) throws {
        try account.run(program, arguments)
    }
}
