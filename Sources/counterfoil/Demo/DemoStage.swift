// SPDX-License-Identifier: Apache-2.0

import CounterfoilHTTP
import Synchronization

/// The server process of the demo, which dies and comes back.
final class DemoStage: Sendable {
    /// Tries to reach a server that is starting, a tenth of a second apart.
    private static let startTries = 100

    private let folder: DemoFolder
    private let client: DemoClient
    private let process = Mutex<ServerProcess?>(nil)

    init(_ folder: DemoFolder, _ client: DemoClient) throws {
        self.folder = folder
        self.client = client
    }

    /// Starts the server and returns once it answers.
    func start() async throws {
        let started = try ServerProcess(
            configuration: folder.configuration, log: folder.serverLog)
        process.withLock { $0 = started }
        for _ in 0..<Self.startTries {
            // Whoever answers before our own server listens is somebody else.
            if started.isListening(), await client.isReady() { return }
            if started.hasEnded() { break }
            try await Task.sleep(for: .milliseconds(100))
        }
        throw ServerProcess.Failure(
            description: "the server does not answer; its log \(folder.serverLog) ends with:\n"
                + started.output)
    }

    func kill() {
        process.withLock { $0.take()?.kill() }
    }

    /// Stops the server; true if it ended well.
    func stop() -> Bool {
        process.withLock { $0.take()?.stop() } ?? false
    }
}
