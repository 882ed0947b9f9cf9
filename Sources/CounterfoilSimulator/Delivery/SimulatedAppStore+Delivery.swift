// SPDX-License-Identifier: Apache-2.0
public import CounterfoilCore
public import CounterfoilCrypto

/// A notification as it goes over the network.
public struct OutgoingNotification: Sendable {
    /// Which try of which notification; for ``SimulatedAppStore/record(_:of:)``.
    public let delivery: NotificationOutbox.Delivery

    /// The body of the request.
    public let body: [UInt8]
}

extension SimulatedAppStore {
    /// Brings what the store wants to tell into the outbox; without a server to tell it is dropped.
    ///
    /// What is to be sent in version 1 and has no word there is dropped too.
    public mutating func collectNotifications() {
        for notification in store.takeNotifications() {
            switch notificationVersion {
            case .off: continue
            case .v1 where notification.legacyType == nil: continue
            case .v1, .v2: outbox.add(notification, at: store.now)
            }
        }
    }

    /// What is due now, signed, in order. Each must be answered by ``record(_:of:)``.
    ///
    /// - Throws: ``CryptoError`` if the library does not sign; then nothing is due any more.
    public mutating func takeDueNotifications() throws(CryptoError) -> [OutgoingNotification] {
        var outgoing: [OutgoingNotification] = []
        for delivery in outbox.takeDue(at: store.now) {
            let body: JSONValue
            if notificationVersion == .v1 {
                body = legacyBody(of: delivery.notification)
            } else {
                body = ["signedPayload": .string(try text(of: delivery))]
            }
            outgoing.append(OutgoingNotification(delivery: delivery, body: body.utf8))
        }
        return outgoing
    }

    /// Notes what came of a try; failures are tried again by the plan of ``outbox``.
    public mutating func record(_ result: SendAttempt.Result, of outgoing: OutgoingNotification) {
        outbox.record(result, of: outgoing.delivery, at: store.now)
    }

    /// Sends what is due to a receiver that answers at once, as a simulation's does.
    ///
    /// - Parameter receive: Gets the body, returns the status of its answer, or nil for none.
    /// - Throws: ``CryptoError`` if the library does not sign.
    public mutating func deliver(
        to receive: ([UInt8]) -> Int?
    ) throws(CryptoError) {
        while let due = outbox.nextDue, due <= store.now {
            for outgoing in try takeDueNotifications() {
                let status = receive(outgoing.body)
                record(status.map { SendAttempt.Result(status: $0) } ?? .noResponse, of: outgoing)
            }
        }
    }

    /// Moves the clock and lets everything happen on the way: renewals, and tries to deliver at their
    /// moments.
    ///
    /// - Throws: ``StoreError`` for a moment in the past, ``CryptoError`` if the library does not sign.
    public mutating func advance(
        to moment: Instant, delivering receive: ([UInt8]) -> Int?
    ) throws {
        collectNotifications()
        while let next = nextMoment(before: moment) {
            try store.advance(to: next)
            collectNotifications()
            try deliver(to: receive)
        }
        try store.advance(to: moment)
        collectNotifications()
        try deliver(to: receive)
    }

    /// Version 1: plain JSON that shows the account as it is when the try is made.
    private func legacyBody(of notification: SimulatedNotification) -> JSONValue {
        let receipt = notification.account.flatMap { try? appReceipt(of: $0) } ?? []
        return .object(
            store.legacyBody(for: notification, latestReceipt: Base64.encode(receipt, .standard))
                ?? JSONObject())
    }

    /// The text of one try: that of the try before it, since Apple signs a notification once.
    private mutating func text(
        of delivery: NotificationOutbox.Delivery
    ) throws(CryptoError) -> String {
        if let text = outbox.entry(delivery.number)?.signedPayload { return text }
        let text = try signedPayload(of: delivery.notification)
        outbox.keep(text, of: delivery.number)
        return text
    }

    func signedPayload(of notification: SimulatedNotification) throws(CryptoError) -> String {
        let signing = signing
        let payload = try notification.payload { payload throws(CryptoError) in
            try signing.sign(payload)
        }
        return try signing.sign(payload)
    }
}
