// SPDX-License-Identifier: Apache-2.0

/// How long a client waits before it hands the same evidence in again.
enum RetryAdvice {
    /// Submissions of one evidence that are counted; the pause has reached its end before.
    static let maximumCount: Int64 = 16

    /// - Parameters:
    ///   - earlier: How often this customer handed this evidence in before and had to keep it.
    ///   - isSuspect: Whether the mistake may be ours; when we have repaired it, the client must not
    ///     stay away for a day.
    static func pause(
        for decision: Decision, earlier: Int64, isSuspect: Bool = false
    ) -> Duration? {
        guard decision.client == .keep else { return nil }
        let doublings = min(earlier, maximumCount)
        let isHopeless = decision.status == .rejected && !isSuspect
        let first: Duration = decision.status == .rejected ? .seconds(60) : .seconds(5)
        return min(first * (1 << doublings), isHopeless ? .seconds(86_400) : .seconds(3600))
    }
}
