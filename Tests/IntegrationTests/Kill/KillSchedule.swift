// SPDX-License-Identifier: Apache-2.0
import CounterfoilTestSupport
import Foundation
import Glibc

/// At which answers the server is killed: once in each stretch of them, at a random one.
///
/// `@unchecked Sendable`: `points` is constant, and `turn` lets one kill and restart happen at a
/// time.
final class KillSchedule: @unchecked Sendable {
    /// Answers between two kills, on average.
    static let answersPerKill = 60

    private let turn = NSLock()

    /// The answer's number, and how often the killer steps aside before it acts.
    private let points: [Int: Int]

    init(kills: Int, random: SeededRandom) {
        var (random, points) = (random, [Int: Int]())
        for kill in 0..<kills {
            let answer =
                kill * Self.answersPerKill
                + Int.random(in: 1...Self.answersPerKill, using: &random)
            // Half of the kills come at once, when the answer has just been read; the others
            // somewhere before the next one.
            let isAtOnce = Bool.random(using: &random)
            points[answer] = isAtOnce ? 0 : 1 << Int.random(in: 0...12, using: &random)
        }
        self.points = points
    }

    /// Kills the server and starts it again, if it is time.
    func strike(_ server: ServerUnderTest, atAnswer number: Int) throws {
        guard let yields = points[number] else { return }
        try turn.withLock {
            for _ in 0..<yields { sched_yield() }
            server.kill()
            try server.start()
        }
    }
}
