// SPDX-License-Identifier: Apache-2.0

internal import CounterfoilHTTP

/// The loop of the client's thread, to which everything here belongs.
final class Driver {
    private let multi: CurlMulti
    private let inbox: Inbox
    private let configuration: HTTPClientConfiguration

    /// Calls without a place, in their order.
    private var waiting: [WaitingCall] = []
    private var running: [CurlHandle.Key: Transfer] = [:]

    /// The hosts with calls.
    private var hosts = Hosts()

    /// Handles between two transfers.
    private var spare: [CurlHandle] = []

    /// No call's deadline is earlier; it may be that of a call that ended.
    private var nextDeadline: ContinuousClock.Instant?

    /// When everything ends.
    private var end: ContinuousClock.Instant?

    init(multi: CurlMulti, inbox: Inbox, configuration: HTTPClientConfiguration) {
        self.multi = multi
        self.inbox = inbox
        self.configuration = configuration
    }

    func run() {
        Curl.blockPipeSignal()
        var failure: HTTPTransportError?
        while failure == nil {
            obey(inbox.take())
            let now = ContinuousClock.now
            expire(now)
            _ = startWaiting()
            failure = multi.perform()
            collect()
            if let end, now >= end || running.isEmpty && waiting.isEmpty { break }
            // A place that became free is filled before the next wait.
            if failure == nil, !startWaiting() { failure = multi.poll(pause(from: now)) }
        }
        stop(failure)
    }

    private func obey(_ orders: Inbox.Orders) {
        for call in orders.starts {
            if call.isCancelled {
                answer(call, Self.cancelled(wasSent: false))
            } else {
                waiting.append(WaitingCall(call: call, host: hosts.host(of: call)))
                nextDeadline = min(nextDeadline ?? call.deadline, call.deadline)
            }
        }
        for call in orders.cancels { cancel(call) }
        if let end = orders.end { self.end = min(self.end ?? end, end) }
    }

    /// A call that is not here either ended, or its start comes later and sees the mark on it.
    private func cancel(_ call: Call) {
        if let transfer = running.values.first(where: { $0.call === call }) {
            finish(transfer, Self.cancelled(wasSent: transfer.answer.wasSent))
        } else if let index = waiting.firstIndex(where: { $0.call === call }) {
            drop(waiting.remove(at: index), Self.cancelled(wasSent: false))
        }
    }

    /// Gives free places to those who waited longest; says whether anything started.
    private func startWaiting() -> Bool {
        let perHost = max(1, configuration.maximumRunningCountPerHost)
        let total = max(1, configuration.maximumRunningCount)
        let countBefore = running.count
        guard countBefore < total, !waiting.isEmpty else { return false }
        waiting.removeAll { entry in
            guard running.count < total, entry.host.runningCount < perHost else { return false }
            start(entry)
            return true
        }
        return running.count > countBefore
    }

    private func start(_ entry: WaitingCall) {
        do throws(HTTPTransportError) {
            let handle = if let handle = spare.popLast() { handle } else { try CurlHandle() }
            let transfer = Transfer(
                call: entry.call, host: entry.host, handle: handle,
                addresses: configuration.addresses)
            try handle.prepare(entry.call.request, for: transfer.answer, configuration)
            try multi.add(handle)
            running[handle.key] = transfer
            entry.host.runningCount += 1
        } catch {
            drop(entry, .failure(error))
        }
    }

    /// Answers the calls whose transfers are done.
    private func collect() {
        while let (key, result) = multi.nextFinished() {
            guard let transfer = running[key] else { continue }
            finish(transfer, transfer.outcome(of: result))
        }
    }

    private func expire(_ now: ContinuousClock.Instant) {
        guard let nextDeadline, now >= nextDeadline else { return }
        waiting.removeAll { entry in
            guard now >= entry.call.deadline else { return false }
            drop(entry, Self.timeout(wasSent: false))
            return true
        }
        for transfer in Array(running.values) where now >= transfer.call.deadline {
            finish(transfer, Self.timeout(wasSent: transfer.answer.wasSent))
        }
        self.nextDeadline =
            (waiting.map(\.call.deadline) + running.values.map(\.call.deadline)).min()
    }

    private func pause(from now: ContinuousClock.Instant) -> Duration {
        let times = [nextDeadline, end, now + Limits.longestPoll].compactMap { $0 }
        return now.duration(to: times.min() ?? now)
    }

    /// Takes a transfer off, done or not, and keeps its handle.
    private func finish(_ transfer: Transfer, _ outcome: Call.Outcome) {
        multi.remove(transfer.handle)
        running[transfer.handle.key] = nil
        transfer.handle.reset()
        spare.append(transfer.handle)
        transfer.host.runningCount -= 1
        hosts.callEnded(transfer.host)
        answer(transfer.call, outcome)
    }

    /// Ends a call that never had a place.
    private func drop(_ entry: WaitingCall, _ outcome: Call.Outcome) {
        hosts.callEnded(entry.host)
        answer(entry.call, outcome)
    }

    private func answer(_ call: Call, _ outcome: Call.Outcome) {
        inbox.callEnded()
        call.finish(outcome)
    }

    private func stop(_ failure: HTTPTransportError?) {
        for call in waiting.map(\.call) + inbox.end().starts {
            answer(call, .failure(failure ?? .transportClosed(wasSent: false)))
        }
        for transfer in Array(running.values) {
            let wasSent = transfer.answer.wasSent
            finish(transfer, .failure(failure ?? .transportClosed(wasSent: wasSent)))
        }
        spare = []
        multi.close()
    }

    private static func cancelled(wasSent: Bool) -> Call.Outcome {
        .failure(HTTPTransportError(.cancelled, "the task was cancelled", wasSent: wasSent))
    }

    private static func timeout(wasSent: Bool) -> Call.Outcome {
        .failure(HTTPTransportError(.timeout, "no answer before the deadline", wasSent: wasSent))
    }
}
