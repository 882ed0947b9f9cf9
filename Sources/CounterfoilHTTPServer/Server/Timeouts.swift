// SPDX-License-Identifier: Apache-2.0

internal import CounterfoilCore

/// The configured timeouts in milliseconds, ready for every request.
struct Timeouts: Sendable {
    let head: UInt64
    let body: UInt64
    let handler: UInt64
    let answer: UInt64
    let idle: UInt64
    let discarding: UInt64

    /// Each is longer by one sweep, since deadlines are counted from the latest one.
    init(_ configuration: HTTPServerConfiguration) {
        func milliseconds(_ timeout: Duration) -> UInt64 {
            UInt64(max(0, (timeout + configuration.sweepInterval).wholeMilliseconds))
        }
        head = milliseconds(configuration.headTimeout)
        body = milliseconds(configuration.bodyTimeout)
        handler = milliseconds(configuration.handlerTimeout)
        answer = milliseconds(configuration.answerTimeout)
        idle = milliseconds(configuration.idleTimeout)
        discarding = milliseconds(Limits.discardTimeout)
    }
}
