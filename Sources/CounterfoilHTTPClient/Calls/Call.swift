// SPDX-License-Identifier: Apache-2.0

internal import CounterfoilHTTP
internal import Synchronization

/// A request and whoever waits for its answer.
final class Call: Sendable {
    typealias Outcome = Result<HTTPResponse, HTTPTransportError>

    private struct State {
        var continuation: CheckedContinuation<Outcome, Never>?
        var isCancelled = false
    }

    let request: OutgoingRequest
    let deadline: ContinuousClock.Instant
    private let state = Mutex(State())

    init(_ request: OutgoingRequest, deadline: ContinuousClock.Instant) {
        self.request = request
        self.deadline = deadline
    }

    /// Whether the task was cancelled. A cancellation may overtake the call's start, so the call
    /// itself remembers it.
    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    func cancel() {
        state.withLock { $0.isCancelled = true }
    }

    func expect(_ continuation: CheckedContinuation<Outcome, Never>) {
        state.withLock { $0.continuation = continuation }
    }

    /// Answers; only the first answer counts.
    func finish(_ outcome: Outcome) {
        let continuation = state.withLock { $0.continuation.take() }
        continuation?.resume(returning: outcome)
    }
}
