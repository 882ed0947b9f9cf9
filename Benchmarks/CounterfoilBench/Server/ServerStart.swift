// SPDX-License-Identifier: Apache-2.0

/// Row 14.7: how long a start takes, and the memory of a server that has nothing to do.
struct ServerStart {
    static let name = "server start and memory"
    static let rounds = 9

    /// The design's goals.
    static let startGoalMilliseconds = 150.0
    static let idleGoalMebibytes = 20.0
    static let loadedGoalMebibytes = 60.0

    /// Milliseconds from the process's start to the first 200 of `/readyz`.
    private(set) var fresh: [Double] = []
    private(set) var existing: [Double] = []

    /// Anonymous memory in bytes, right after a start with a fresh database.
    private(set) var idleMemory: [Double] = []

    /// - Parameter database: The name of a database that holds something.
    init(in installation: Installation, database: String, progress: (String) -> Void) throws {
        for round in 0..<Self.rounds {
            progress("\(Self.name): round \(round + 1) of \(Self.rounds)")
            let first = try installation.server(database: "fresh\(round)")
            fresh.append(first.secondsToReady * 1_000)
            idleMemory.append(Double(try first.anonymousMemory()))
            try first.stop()
            let second = try installation.server(database: database)
            existing.append(second.secondsToReady * 1_000)
            try second.stop()
        }
    }
}
