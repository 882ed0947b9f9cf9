// SPDX-License-Identifier: Apache-2.0

internal import CounterfoilHTTP
internal import Synchronization

/// What other threads ask of the driver.
final class Inbox: Sendable {
    /// What was asked since the driver last looked.
    struct Orders {
        var starts: [Call] = []
        var cancels: [Call] = []

        /// When everything ends, once somebody asked for that.
        var end: ContinuousClock.Instant?

        var isEmpty: Bool { starts.isEmpty && cancels.isEmpty && end == nil }
    }

    private struct State {
        var orders = Orders()

        /// Calls that were taken and not answered yet.
        var openCount = 0
        var isClosed = false
        var hasEnded = false
    }

    private let multi: CurlMulti
    private let limit: Int
    private let state = Mutex(State())

    init(multi: CurlMulti, limit: Int) {
        self.multi = multi
        self.limit = limit
    }

    func submit(_ call: Call) throws(HTTPTransportError) {
        try state.withLock { state throws(HTTPTransportError) in
            guard !state.isClosed else { throw .transportClosed(wasSent: false) }
            guard state.openCount < limit else {
                throw HTTPTransportError(.busy, "too many requests wait for their turn")
            }
            state.openCount += 1
            add(to: &state) { $0.starts.append(call) }
        }
    }

    func cancel(_ call: Call) {
        call.cancel()
        state.withLock { add(to: &$0) { $0.cancels.append(call) } }
    }

    func close(at end: ContinuousClock.Instant) {
        state.withLock { state in
            state.isClosed = true
            add(to: &state) { $0.end = min($0.end ?? end, end) }
        }
    }

    /// Wakes the driver for the first order only; it takes all at once. The lock is held so that
    /// the driver cannot end meanwhile and free what is woken.
    private func add(to state: inout State, _ order: (inout Orders) -> Void) {
        guard !state.hasEnded else { return }
        let isFirst = state.orders.isEmpty
        order(&state.orders)
        if isFirst { multi.wakeUp() }
    }
}

// What the driver calls.
extension Inbox {
    func take() -> Orders {
        state.withLock { state in
            defer { state.orders = Orders() }
            return state.orders
        }
    }

    /// Makes room for another call.
    func callEnded() {
        state.withLock { $0.openCount -= 1 }
    }

    /// Takes nothing more; returns what came last.
    func end() -> Orders {
        state.withLock { state in
            state.isClosed = true
            state.hasEnded = true
            defer { state.orders = Orders() }
            return state.orders
        }
    }
}

extension HTTPTransportError {
    static func transportClosed(wasSent: Bool) -> HTTPTransportError {
        HTTPTransportError(.closed, "the client is closed", wasSent: wasSent)
    }
}
