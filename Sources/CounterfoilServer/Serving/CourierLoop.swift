// SPDX-License-Identifier: Apache-2.0

import CounterfoilEngine
import CounterfoilHTTPClient
import Dispatch

/// Sends webhooks while the server runs: when somebody rings because there are some, and once a second
/// for what became due by itself or was left by another server.
final class CourierLoop: Sendable {
    private static let interval = DispatchTimeInterval.seconds(1)

    /// Rings; several rings before they are heard are one.
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

    /// Starts; it ends after ``stop(_:_:_:)``.
    func start(_ courier: Courier) -> Task<Void, Never> {
        let timer = DispatchSource.makeTimerSource(queue: .global())
        timer.schedule(deadline: .now(), repeating: Self.interval)
        timer.setEventHandler(handler: bell)
        timer.resume()
        return Task { [rings, bell] in
            await courier.run(rings, bell: bell)
            timer.cancel()
        }
    }

    /// Begins nothing new, gives requests that are under way a while to end, and returns when what
    /// they came to is written down. What is broken off is sent again, by whoever comes next.
    func stop(
        _ task: Task<Void, Never>, _ courier: Courier, _ client: HTTPClient,
        gracePeriod: Duration
    ) async {
        courier.stop()
        end()
        await client.close(gracePeriod: gracePeriod)
        await task.value
    }
}
