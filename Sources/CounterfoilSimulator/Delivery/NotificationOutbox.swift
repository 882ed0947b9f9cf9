// SPDX-License-Identifier: Apache-2.0
public import CounterfoilCore

/// Notifications on their way: tries, pauses between them, and what a test wants to go wrong.
///
/// It has no clock and no network. Whoever owns it takes what is due, sends it, and tells what came of
/// it; equal calls have equal results.
public struct NotificationOutbox: Sendable {
    /// One notification and every try of it.
    public struct Entry: Sendable {
        /// What is sent.
        public let notification: SimulatedNotification

        /// The tries so far.
        public internal(set) var attempts: [SendAttempt] = []

        /// When the next one is due; nil if there will be none.
        public internal(set) var nextAttempt: Instant?

        /// The text that was signed for the first try; every later one sends the same.
        var signedPayload: String?

        /// Whether the first try is made twice.
        var isDuplicated = false

        /// Whether it waits for others that it will follow.
        var isHeld = false

        /// Whether any try succeeded.
        public var isDelivered: Bool { attempts.contains { $0.result == .success } }
    }

    /// One try that is due now.
    public struct Delivery: Sendable {
        /// Which notification, for ``record(_:of:at:)``.
        public let number: Int

        /// What is sent.
        public let notification: SimulatedNotification

        let signedPayload: String?

        /// Whether it repeats the try before it.
        let isRepeat: Bool
    }

    /// When failures are tried again.
    public var plan: ResendPlan

    /// What goes wrong with the notifications that come next.
    public var disturbance = NotificationDisturbance()

    /// Whether nothing is sent: everything that is due waits for the end of it.
    public private(set) var isOutage = false

    /// The notifications by number; the oldest are forgotten after ``Limits/maximumNotifications``.
    private var entries: [Int: Entry] = [:]
    private var firstNumber = 0
    private var nextNumber = 0
    private var queue = DueQueue()

    /// Starts empty.
    public init(plan: ResendPlan) {
        self.plan = plan
    }

    /// All that is remembered, oldest first, with their numbers.
    public var history: [(number: Int, entry: Entry)] {
        (firstNumber..<nextNumber).compactMap { number in entries[number].map { (number, $0) } }
    }

    /// The notification with a number, while it is remembered.
    public func entry(_ number: Int) -> Entry? { entries[number] }

    /// Takes a notification in, due at once unless a test wants it otherwise.
    ///
    /// - Returns: Its number.
    @discardableResult
    public mutating func add(_ notification: SimulatedNotification, at now: Instant) -> Int {
        let number = nextNumber
        nextNumber += 1
        var entry = Entry(notification: notification)
        switch disturbance.next() {
        case .none: entry.nextAttempt = now
        case .lose: entry.attempts = [SendAttempt(date: now, result: .noResponse)]
        case .delay(let duration): entry.nextAttempt = now + duration
        case .duplicate:
            entry.nextAttempt = now
            entry.isDuplicated = true
        case .hold: entry.isHeld = true
        case .release:
            entry.isHeld = true
            entries[number] = entry
            release(at: now)
            forgetOldest()
            return number
        }
        entries[number] = entry
        if let time = entry.nextAttempt { queue.add(.attempt, Int32(number), at: time) }
        forgetOldest()
        return number
    }

    /// Lets go what was held back to change its order: the newest first.
    public mutating func release(at now: Instant) {
        let held = history.filter { $0.entry.isHeld }.map(\.number)
        for number in held.reversed() {
            entries[number]?.isHeld = false
            entries[number]?.nextAttempt = now
            queue.add(.attempt, Int32(number), at: now)
        }
        disturbance.endReordering()
    }

    /// Stops all sending.
    public mutating func beginOutage() { isOutage = true }

    /// Goes on; what was due meanwhile is due now.
    public mutating func endOutage() { isOutage = false }

    /// When something is due next; nil for never, and during an outage.
    public var nextDue: Instant? { isOutage ? nil : queue.first?.time }

    /// Takes everything that is due, in order. Each try must be recorded before the next of the same
    /// notification is due.
    public mutating func takeDue(at now: Instant) -> [Delivery] {
        var deliveries: [Delivery] = []
        while !isOutage, let next = queue.first, next.time <= now {
            queue.removeFirst()
            let number = Int(next.subject)
            guard let entry = entries[number], entry.nextAttempt == next.time else { continue }
            entries[number]?.nextAttempt = nil
            let copies = entry.isDuplicated && entry.attempts.isEmpty ? 2 : 1
            for copy in 0..<copies {
                deliveries.append(
                    Delivery(
                        number: number, notification: entry.notification,
                        signedPayload: entry.signedPayload, isRepeat: copy > 0))
            }
        }
        return deliveries
    }

    /// Notes what came of a try, and when the next one is due if it failed.
    public mutating func record(
        _ result: SendAttempt.Result, of delivery: Delivery, at now: Instant
    ) {
        guard var entry = entries[delivery.number] else { return }
        entry.attempts.append(SendAttempt(date: now, result: result))
        let made = entry.attempts.count
        if entry.isDelivered || delivery.isRepeat {
            if entry.isDelivered { entry.nextAttempt = nil }
        } else if made <= plan.pauses.count {
            let time = now + plan.pauses[made - 1]
            entry.nextAttempt = time
            queue.add(.attempt, Int32(delivery.number), at: time)
        }
        // Whoever has it needs no text any more; the history can sign the same content again.
        if entry.isDelivered || entry.nextAttempt == nil { entry.signedPayload = nil }
        entries[delivery.number] = entry
    }

    /// Keeps the text that was signed, so that a later try sends the same.
    mutating func keep(_ signedPayload: String, of number: Int) {
        entries[number]?.signedPayload = signedPayload
    }

    private mutating func forgetOldest() {
        while entries.count > Limits.maximumNotifications, firstNumber < nextNumber {
            entries[firstNumber] = nil
            firstNumber += 1
        }
    }
}
