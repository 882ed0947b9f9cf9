// SPDX-License-Identifier: Apache-2.0

package import CounterfoilCore

/// Whether the database answers, asked at most once in a while: `/readyz` wants no key, and must not be a
/// read of the database for each of those who ask.
package actor Readiness {
    private let clock: any WallClock
    private let check: @Sendable () async throws -> Bool
    private var last: (isReady: Bool, at: Instant)?
    private var running: Task<Bool, Never>?

    /// - Parameter check: Asks the database; an error means that it does not answer.
    package init(clock: any WallClock, check: @escaping @Sendable () async throws -> Bool) {
        self.clock = clock
        self.check = check
    }

    /// The answer of a moment ago, or a new one; whoever comes while it is sought waits for the same.
    package func isReady() async -> Bool {
        let now = clock.now
        if let last, now >= last.at, now.since(last.at) < Limits.readinessInterval {
            return last.isReady
        }
        if let running { return await running.value }
        let task = Task { [check] in (try? await check()) ?? false }
        running = task
        let isReady = await task.value
        running = nil
        last = (isReady, now)
        return isReady
    }
}
