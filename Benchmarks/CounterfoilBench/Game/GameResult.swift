// SPDX-License-Identifier: Apache-2.0

/// What one round of work for a game brought.
struct GameRound {
    let count: Int

    /// What the server used.
    let usage: Usage

    /// How long each took, in seconds.
    let times: [Double]
}

/// All rounds with one number of clients.
struct GameResult {
    let clients: Int
    var rounds: [GameRound] = []

    var rate: Double { rounds.map { Double($0.count) / $0.usage.seconds }.median }

    var processorMicroseconds: Double {
        rounds.map { $0.usage.processorSeconds / Double($0.count) * 1e6 }.median
    }

    var bytesWritten: Double {
        rounds.map { Double($0.usage.bytesWritten) / Double($0.count) }.median
    }

    func milliseconds(ofThousand share: Int) -> Double {
        rounds.flatMap(\.times).milliseconds(ofThousand: share)
    }
}
