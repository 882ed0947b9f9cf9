// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore

/// Runs rounds of work one behind the other, one for each ring of its bell.
final class JobLoop: Sendable {
    private let workBell: WorkBell

    init() throws(SystemThread.Refusal) {
        workBell = try WorkBell()
    }

    /// Rings for a round; several rings before it starts are one.
    var bell: @Sendable () -> Void { workBell.ring }

    /// Starts the rounds; they end after ``stop(_:)``.
    ///
    /// - Parameter onFailure: Told when a round could not be run at all; the next ring tries again.
    func start(
        _ round: @escaping @Sendable () async throws -> Void,
        onFailure: @escaping @Sendable (any Error) -> Void
    ) -> Task<Void, Never> {
        Task { [rings = workBell.rings] in
            for await _ in rings {
                do {
                    try await round()
                } catch is CancellationError {
                    // The round was asked to end.
                } catch {
                    onFailure(error)
                }
            }
        }
    }

    /// Ends the rounds and returns when the running one is done; it is asked to make haste.
    func stop(_ task: Task<Void, Never>) async {
        await workBell.stop()
        task.cancel()
        await task.value
    }
}
