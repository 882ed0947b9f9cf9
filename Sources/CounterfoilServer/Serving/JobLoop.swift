// SPDX-License-Identifier: Apache-2.0

import Dispatch

/// Runs rounds of work one behind the other: when somebody rings because there is some, and once a
/// second for what became due by itself or was left by another server.
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

    /// Starts the rounds; they end after ``stop(_:)``.
    ///
    /// - Parameter onFailure: Told when a round could not be run at all; the next ring tries again.
    func start(
        _ round: @escaping @Sendable () async throws -> Void,
        onFailure: @escaping @Sendable (any Error) -> Void
    ) -> Task<Void, Never> {
        let timer = DispatchSource.makeTimerSource(queue: .global())
        timer.schedule(deadline: .now(), repeating: Self.interval)
        timer.setEventHandler(handler: bell)
        timer.resume()
        return Task { [rings] in
            for await _ in rings {
                do {
                    try await round()
                } catch is CancellationError {
                    // The round was asked to end.
                } catch {
                    onFailure(error)
                }
            }
            timer.cancel()
        }
    }

    /// Ends the rounds and returns when the running one is done; it is asked to make haste.
    func stop(_ task: Task<Void, Never>) async {
        end()
        task.cancel()
        await task.value
    }
}
