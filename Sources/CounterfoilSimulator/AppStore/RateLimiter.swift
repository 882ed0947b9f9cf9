// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore

/// Counts calls of each endpoint in each hour: Apple states limits per second and enforces them per
/// hour, a tenth of them in the sandbox.
struct RateLimiter: Sendable {
    private static let window: Int64 = 3_600_000

    private var counts: [Endpoint: Count] = [:]

    /// Limits that stand in the place of Apple's, per hour.
    var overrides: [Endpoint: Int64] = [:]

    private struct Count {
        var hour: Int64
        var calls: Int64
    }

    /// Counts a call.
    ///
    /// - Returns: Nil if it may pass; else the moment at which the next hour begins.
    mutating func refuse(
        _ endpoint: Endpoint, isSandbox: Bool, at now: Instant
    ) -> Instant? {
        guard let limit = overrides[endpoint] ?? endpoint.callsPerHour(isSandbox: isSandbox) else {
            return nil
        }
        let hour = now.millisecondsSinceEpoch / Self.window
        var count = counts[endpoint] ?? Count(hour: hour, calls: 0)
        if count.hour != hour { count = Count(hour: hour, calls: 0) }
        guard count.calls < limit else {
            return Instant(millisecondsSinceEpoch: (hour + 1) * Self.window)
        }
        count.calls += 1
        counts[endpoint] = count
        return nil
    }
}
