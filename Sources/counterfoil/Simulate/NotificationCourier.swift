// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilHTTP
import CounterfoilSimulator

/// Carries notifications to the app's server, in order.
actor NotificationCourier {
    /// Longer than Apple waits, as far as anybody knows.
    private static let deadline = Duration.seconds(20)

    /// Answers are not read beyond this; Apple ignores them.
    private static let maximumAnswerByteCount = 1 << 16

    private let url: String?
    private let transport: any HTTPTransport
    private let log: @Sendable (String) -> Void
    private var isBusy = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// - Parameter url: Where notifications go; nil answers for a server that takes all of them.
    init(
        url: String?, transport: any HTTPTransport, log: @escaping @Sendable (String) -> Void
    ) {
        self.url = url
        self.transport = transport
        self.log = log
    }

    /// Sends until nothing is due; calls take turns, so that notifications keep their order.
    func deliver(
        taking take: @Sendable () -> [OutgoingNotification],
        record: @Sendable (SendAttempt.Result, OutgoingNotification) -> Void
    ) async {
        if isBusy {
            await withCheckedContinuation { waiting.append($0) }
        }
        isBusy = true
        defer { passOn() }
        while true {
            let due = take()
            guard !due.isEmpty else { return }
            for outgoing in due { record(await send(outgoing.body), outgoing) }
        }
    }

    /// The next in turn goes on with the work still marked as taken.
    private func passOn() {
        guard !waiting.isEmpty else {
            isBusy = false
            return
        }
        waiting.removeFirst().resume()
    }

    func send(_ body: [UInt8]) async -> SendAttempt.Result {
        guard let url else { return .success }
        let request = OutgoingRequest(
            method: .post, url: url, headers: ["Content-Type": "application/json"], body: body,
            maximumAnswerByteCount: Self.maximumAnswerByteCount)
        do {
            let response = try await transport.send(request, deadline: Self.deadline)
            log("notification to \(url): \(response.status)")
            return SendAttempt.Result(status: response.status)
        } catch {
            log("notification to \(url): \(error)")
            return SendAttempt.Result(error)
        }
    }
}
