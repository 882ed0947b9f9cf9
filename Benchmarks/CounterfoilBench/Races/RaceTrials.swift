// SPDX-License-Identifier: Apache-2.0
import CounterfoilApple
import CounterfoilCore
import CounterfoilEngine
import Synchronization

/// The same evidence, handed in by two callers at the same moment (promise P1).
///
/// Each caller has an engine; on a database of several servers these are two servers.
struct RaceTrials {
    private static let shownFaults = 5

    let engines: (Engine, Engine)
    let policy: AppPolicy

    /// A signed transaction that is another one in each trial.
    let token: @Sendable (_ trial: Int) throws -> String

    struct Outcome: Equatable {
        /// Trials in which the sale was new to exactly one of the two callers.
        var single = 0

        /// The first answers of other trials.
        var faults: [String] = []

        /// How many trials went wrong.
        var wrong = 0
    }

    func run(_ count: Int, progress: (_ done: Int) -> Void = { _ in }) async throws -> Outcome {
        var outcome = Outcome()
        for trial in 0..<count {
            let answers = try await race(trial)
            if answers.sorted() == ["already_fulfilled finish", "fulfilled finish"] {
                outcome.single += 1
            } else {
                outcome.wrong += 1
                if outcome.faults.count < Self.shownFaults {
                    outcome.faults.append("trial \(trial): \(answers)")
                }
            }
            progress(trial + 1)
        }
        return outcome
    }

    private func race(_ trial: Int) async throws -> [String] {
        let submission = Submission(
            customer: try CustomerID("racer-\(trial % 1_000)"),
            proof: .signedTransaction(try token(trial)), claimedTransactionID: nil,
            claimedProductID: nil, address: "127.0.0.1")
        let start = StartingLine()
        async let first = answer(of: engines.0, to: submission, from: start)
        async let second = answer(of: engines.1, to: submission, from: start)
        return try await [first, second]
    }

    private func answer(
        of engine: Engine, to submission: Submission, from start: StartingLine
    ) async throws -> String {
        await start.wait()
        let decision = try await engine.submit(submission, to: policy).decision
        return "\(decision.status.rawValue) \(decision.client.rawValue)"
    }
}

/// Lets two callers go when both are there.
private final class StartingLine: Sendable {
    private let arrived = Atomic(0)

    func wait() async {
        arrived.add(1, ordering: .acquiringAndReleasing)
        // Where one thread serves both, the other must get its turn.
        while arrived.load(ordering: .acquiring) < 2 { await Task.yield() }
    }
}
