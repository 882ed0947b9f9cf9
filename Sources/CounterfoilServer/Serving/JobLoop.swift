// SPDX-License-Identifier: Apache-2.0

import CounterfoilEngine
import Dispatch

/// Runs jobs one round behind the other: when the engine signals that it owes some, and once a second
/// for those whose time has come.
final class JobLoop: Sendable {
    private static let interval = DispatchTimeInterval.seconds(1)

    /// Rings for a round; several rings before it starts are one.
    let bell: @Sendable () -> Void

    private let rings: AsyncStream<Void>
    private let end: @Sendable () -> Void

    init() {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Void.self, bufferingPolicy: .bufferingNewest(1))
        rings = stream
        bell = { continuation.yield() }
        end = { continuation.finish() }
    }

    /// Starts the rounds; the task ends after ``stop()``, when the running round is done.
    ///
    /// - Parameter onFailure: Told when a round could not be run at all; the next ring tries again.
    func start(
        _ engine: Engine, onFailure: @escaping @Sendable (any Error) -> Void
    ) -> Task<Void, Never> {
        let timer = DispatchSource.makeTimerSource(queue: .global())
        timer.schedule(deadline: .now(), repeating: Self.interval)
        timer.setEventHandler(handler: bell)
        timer.resume()
        return Task { [rings] in
            for await _ in rings {
                do {
                    try await engine.runDueJobs()
                } catch {
                    onFailure(error)
                }
            }
            timer.cancel()
        }
    }

    func stop() {
        end()
    }
}
