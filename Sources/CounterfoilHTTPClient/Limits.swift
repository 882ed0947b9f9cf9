// SPDX-License-Identifier: Apache-2.0

/// Limits that are not configured, with their reasons; those that are stand in
/// ``HTTPClientConfiguration`` and in the request with theirs.
enum Limits {
    /// Longer addresses are no address of Apple's; RFC 9110 § 4.1 asks for at least 8,000.
    static let urlByteCount = 8 << 10

    /// The longest registered method has 17 letters.
    static let methodByteCount = 32

    /// All names and values that we send: what common servers take.
    static let requestHeaderByteCount = 32 << 10

    /// All lines before and behind a body that we receive, interim answers included, so that
    /// endless ones end.
    static let answerHeaderByteCount = 64 << 10

    /// Nothing waits longer for an answer; keeps sums of times in range.
    static let longestDeadline: Duration = .seconds(24 * 60 * 60)

    /// How long a connection stays open unused. Common servers and balancers close after 60 or 75
    /// seconds, and a request that meets the close on its way is lost.
    static let idleConnectionSeconds = 50

    /// The thread wakes at least this often with nothing to do.
    static let longestPoll: Duration = .seconds(60)
}
