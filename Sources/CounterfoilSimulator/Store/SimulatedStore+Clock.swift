// SPDX-License-Identifier: Apache-2.0
public import CounterfoilCore

extension SimulatedStore {
    /// Moves the clock and does on the way, in order, everything that was due.
    ///
    /// - Parameters:
    ///   - target: The new time; the present one does what is due now.
    ///   - take: Is given what Apple would send, as soon as it would; where nil it stays in
    ///     ``outbox``. Long stretches need it: a year of many subscribers fills the memory otherwise.
    /// - Throws: `clock.backwards`, `clock.too_far` for more than ten years.
    public mutating func advance(
        to target: Instant, _ take: ((SimulatedNotification) -> Void)? = nil
    ) throws(StoreError) {
        guard target >= now else {
            throw StoreError(
                .clockBackwards, "the store's time is \(now.rfc3339) already",
                allowed: ["from \(now.rfc3339) on"])
        }
        guard target.since(now) <= Limits.maximumAdvance else {
            throw StoreError(
                .clockTooFar, "the clock moves by ten years at a time",
                allowed: ["to \((now + Limits.maximumAdvance).rfc3339)"])
        }
        if let take {
            for notification in takeNotifications() { take(notification) }
        }
        while let entry = due.first, entry.time <= target {
            now = max(now, entry.time)
            carryOut(entry)
            guard let take, !outbox.isEmpty else { continue }
            for notification in outbox { take(notification) }
            outbox.removeAll(keepingCapacity: true)
        }
        now = target
    }

    /// The moment of the next thing that happens by itself; it may turn out to be nothing.
    public var nextDue: Instant? { due.first?.time }

    /// Does what a purchase dated back has made due.
    mutating func processDue(until moment: Instant) {
        while let entry = due.first, entry.time <= moment { carryOut(entry) }
    }

    private mutating func carryOut(_ entry: DueQueue.Entry) {
        due.removeFirst()
        switch entry.kind {
        case .subscription:
            subscriptionIsDue(Int(entry.subject), generation: entry.generation)
        case .externalToken: externalTokenIsDue(Int(entry.subject))
        case .massExtension: massExtensionIsDue(Int(entry.subject))
        case .attempt: break
        }
    }
}
