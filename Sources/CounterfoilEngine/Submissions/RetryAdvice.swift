// SPDX-License-Identifier: Apache-2.0

/// How long a client waits before it hands the same evidence in again.
enum RetryAdvice {
    /// Submissions of one evidence that are counted; the pause has reached its end before.
    static let maximumCount: Int64 = 16

    /// - Parameter earlier: How often this evidence came before.
    static func pause(for decision: Decision, earlier: Int64) -> Duration? {
        guard decision.client == .keep else { return nil }
        let doublings = min(earlier, maximumCount)
        switch decision.status {
        case .rejected: return min(.seconds(60 << doublings), .seconds(86_400))
        default: return min(.seconds(5 << doublings), .seconds(3600))
        }
    }
}
