// SPDX-License-Identifier: Apache-2.0
import Foundation
package import Glibc

/// A program that a test started: its output is read line by line, and it can be killed.
///
/// `@unchecked Sendable`: `lines`, `isSilent` and `status` are touched only with `condition` held.
package final class ChildProcess: @unchecked Sendable {
    package struct Failure: Error, CustomStringConvertible {
        package let description: String

        package init(description: String) {
            self.description = description
        }
    }

    package let pid: pid_t
    private let condition = NSCondition()
    private var lines: [String] = []
    private var isSilent = false
    private var status: Int32?

    /// One start at a time, so that no child inherits the pipe of another.
    private static let starting = NSLock()

    /// Runs the body while no child starts: a program that is being written while one starts is open
    /// in it for a moment, and cannot be run in that moment.
    package static func withoutStarts<Result>(_ body: () throws -> Result) rethrows -> Result {
        try starting.withLock(body)
    }

    /// Starts the program with its output and errors in one stream.
    ///
    /// Foundation's own type is not used: waiting for one on a thread of the runtime's pool was seen
    /// to never end.
    ///
    /// - Parameter environment: The whole environment; nil takes this process's.
    package init(
        _ path: String, _ arguments: [String], environment: [String: String]? = nil
    ) throws {
        let (child, output) = try Self.starting.withLock {
            try Self.spawn(path, arguments, environment)
        }
        pid = child
        Thread.detachNewThread { [self] in collect(from: output) }
    }

    private static func spawn(
        _ path: String, _ arguments: [String], _ environment: [String: String]?
    ) throws -> (child: pid_t, output: Int32) {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw Failure(description: "no pipe could be made") }
        defer { close(ends[1]) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
        posix_spawn_file_actions_adddup2(&actions, ends[1], 2)
        var words = ([path] + arguments).map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        let settings = environment?.map { strdup("\($0.key)=\($0.value)") }
        var variables = (settings ?? []) + [nil]
        defer { for variable in variables { free(variable) } }
        var child = pid_t()
        let failure =
            settings == nil
            ? posix_spawn(&child, path, &actions, nil, &words, environ)
            : posix_spawn(&child, path, &actions, nil, &words, &variables)
        guard failure == 0 else {
            close(ends[0])
            throw Failure(description: "\(path): \(String(cString: strerror(failure)))")
        }
        return (child, ends[0])
    }

    /// Reads to the end of the output, then waits for the end of the process.
    private func collect(from descriptor: Int32) {
        var rest: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            if count <= 0 { break }
            rest += buffer.prefix(count)
            while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                add(String(decoding: rest[..<end], as: UTF8.self))
                rest.removeSubrange(...end)
            }
        }
        if !rest.isEmpty { add(String(decoding: rest, as: UTF8.self)) }
        close(descriptor)
        var status: Int32 = 0
        while waitpid(pid, &status, 0) < 0, errno == EINTR {}
        condition.lock()
        self.status = status
        isSilent = true
        condition.broadcast()
        condition.unlock()
    }

    private func add(_ line: String) {
        condition.lock()
        lines.append(line)
        condition.broadcast()
        condition.unlock()
    }

    /// All that was printed so far.
    package var output: String {
        condition.withLock { lines.joined(separator: "\n") }
    }

    /// Waits for the first line that the closure makes something of.
    package func firstLine<Found>(where find: (String) -> Found?) throws -> Found {
        condition.lock()
        defer { condition.unlock() }
        var seen = 0
        while true {
            while seen < lines.count {
                if let found = find(lines[seen]) { return found }
                seen += 1
            }
            guard !isSilent else {
                let text = lines.joined(separator: "\n")
                throw Failure(description: "the line never came; the output was:\n\(text)")
            }
            condition.wait()
        }
    }

    package func signal(_ number: Int32) {
        condition.withLock { if status == nil { _ = Glibc.kill(pid, number) } }
    }

    /// Waits for the end; the exit status, or minus the signal that ended it.
    @discardableResult package func wait() -> Int32 {
        condition.lock()
        defer { condition.unlock() }
        while true {
            if let status { return status & 0x7F == 0 ? status >> 8 & 0xFF : -(status & 0x7F) }
            condition.wait()
        }
    }

    /// Runs a program to its end.
    package static func run(
        _ path: String, _ arguments: [String], environment: [String: String]? = nil
    ) throws -> (status: Int32, output: String) {
        let process = try ChildProcess(path, arguments, environment: environment)
        let status = process.wait()
        return (status, process.output)
    }
}
