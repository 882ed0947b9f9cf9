// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The server as a process of its own, so that it can be killed without warning.
struct ServerProcess {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private let pid: pid_t
    private let log: String

    /// Where in the log the output of this process begins.
    private let start: Int

    /// Starts this program as `serve` with a configuration; what it prints goes to the end of a file.
    init(configuration: String, log: String) throws {
        self.log = log
        start = (try? InputFile.bytes(of: log))?.count ?? 0
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(
            &actions, STDOUT_FILENO, log, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO)
        let program = "/proc/self/exe"
        let arguments = ["counterfoil", "serve", "--config", configuration]
        var words: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
        defer { words.forEach { free($0) } }
        var child = pid_t()
        let failure = posix_spawn(&child, program, &actions, nil, &words, environ)
        guard failure == 0 else {
            throw Failure(
                description: "the server cannot be started: \(String(cString: strerror(failure)))")
        }
        pid = child
    }

    /// What the process has printed so far.
    var output: String {
        let bytes = (try? InputFile.bytes(of: log)) ?? []
        return String(decoding: bytes.dropFirst(start), as: UTF8.self)
    }

    /// Whether the process has said that it listens.
    func isListening() -> Bool {
        output.contains(ServeCommand.listening)
    }

    /// Whether the process has ended; its status is taken then, so ask no more.
    func hasEnded() -> Bool {
        var status: Int32 = 0
        return waitpid(pid, &status, WNOHANG) != 0
    }

    /// Ends the process in the middle of whatever it does.
    func kill() {
        _ = Glibc.kill(pid, SIGKILL)
        wait()
    }

    /// Asks the process to finish and waits until it has; true if it ended well.
    @discardableResult
    func stop() -> Bool {
        _ = Glibc.kill(pid, SIGTERM)
        return wait() == 0
    }

    @discardableResult
    private func wait() -> Int32 {
        var status: Int32 = 0
        while waitpid(pid, &status, 0) < 0 {
            guard errno == EINTR else { return -1 }
        }
        return status
    }
}
