// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilEngine
import CounterfoilHTTPClient

/// Sends webhooks while the server runs, when its bell rings.
final class CourierLoop: Sendable {
    private let workBell: WorkBell

    init() throws(SystemThread.Refusal) {
        workBell = try WorkBell()
    }

    /// Rings; several rings before they are heard are one.
    var bell: @Sendable () -> Void { workBell.ring }

    /// Starts; it ends after ``stop(_:_:_:)``.
    func start(_ courier: Courier) -> Task<Void, Never> {
        Task { [rings = workBell.rings, bell] in await courier.run(rings, bell: bell) }
    }

    /// Begins nothing new, gives requests that are under way a while to end, and returns when what
    /// they came to is written down. What is broken off is sent again, by whoever comes next.
    func stop(
        _ task: Task<Void, Never>, _ courier: Courier, _ client: HTTPClient,
        gracePeriod: Duration
    ) async {
        courier.stop()
        await workBell.stop()
        await client.close(gracePeriod: gracePeriod)
        await task.value
    }
}
