// SPDX-License-Identifier: Apache-2.0
import Glibc

/// The program `counterfoil serve` as a process of its own.
final class ServerProcess {
    let port: UInt16

    /// Seconds from the start of the process to the first 200 of `/readyz`.
    let secondsToReady: Double

    private let pid: pid_t
    private let output: Int32
    private var isRunning = true

    /// Starts it and waits until it is ready.
    init(program: String, configuration: String) throws {
        let start = Clock.seconds(CLOCK_MONOTONIC)
        (pid, output) = try Self.spawned([program, "serve", "--config", configuration])
        do {
            port = try Self.announcedPort(output)
            let request = Array("GET /readyz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".utf8)
            _ = try LoadClients(1, port: port).send([request]) {
                $0.starts(with: "HTTP/1.1 200 ".utf8)
            }
        } catch {
            kill(pid, SIGKILL)
            waitpid(pid, nil, 0)
            throw error
        }
        secondsToReady = Clock.seconds(CLOCK_MONOTONIC) - start
    }

    deinit {
        if isRunning {
            kill(pid, SIGKILL)
            waitpid(pid, nil, 0)
        }
        close(output)
    }

    /// Asks it to stop and waits for its end.
    func stop() throws {
        isRunning = false
        kill(pid, SIGTERM)
        var status: Int32 = 0
        while waitpid(pid, &status, 0) < 0, errno == EINTR {}
        guard status == 0 else { throw BenchmarkFailure("the server ended with \(status)") }
    }

    /// What it has used since its start.
    func usage() throws -> Usage { try .ofProcess(pid) }

    /// Memory that is its own and not a part of a file, in bytes.
    func anonymousMemory() throws -> Int64 {
        try TextFile.number("RssAnon:", in: "/proc/\(pid)/status") * 1024
    }

    private static func spawned(_ command: [String]) throws -> (pid_t, Int32) {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw BenchmarkFailure("no pipe") }
        defer { close(ends[1]) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
        var words = command.map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        var child = pid_t()
        let failure = posix_spawn(&child, command[0], &actions, nil, &words, environ)
        guard failure == 0 else {
            close(ends[0])
            throw BenchmarkFailure("\(command[0]): \(String(cString: strerror(failure)))")
        }
        return (child, ends[0])
    }

    /// The port in the line that the server prints when it listens.
    private static func announcedPort(_ descriptor: Int32) throws -> UInt16 {
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while read(descriptor, &byte, 1) == 1, byte != UInt8(ascii: "\n") { line.append(byte) }
        let text = String(decoding: line, as: UTF8.self)
        guard let digits = text.split(separator: ":").last, let port = UInt16(digits) else {
            throw BenchmarkFailure("the server did not start; it printed: \(text)")
        }
        return port
    }
}
