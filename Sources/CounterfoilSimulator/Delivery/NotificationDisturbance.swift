// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore

/// What goes wrong with the next notifications; each count goes down with each of them.
///
/// Where several are asked for, a notification is lost before it is delayed, delayed before it is
/// doubled, and doubled before it changes places.
public struct NotificationDisturbance: Hashable, Sendable {
    /// How many are never sent, though the history shows a try.
    public var lossCount = 0

    /// How many come late.
    public var delayCount = 0

    /// How late those come.
    public var delay = Duration.zero

    /// How many are sent twice.
    public var duplicateCount = 0

    /// How many are held back until as many are there, and then sent newest first.
    public var reorderCount = 0

    /// Nothing goes wrong.
    public init() {}

    enum Fate {
        case none
        case lose
        case delay(Duration)
        case duplicate
        case hold

        /// The last of those that are held.
        case release
    }

    mutating func next() -> Fate {
        if lossCount > 0 {
            lossCount -= 1
            return .lose
        }
        if delayCount > 0 {
            delayCount -= 1
            return .delay(delay)
        }
        if duplicateCount > 0 {
            duplicateCount -= 1
            return .duplicate
        }
        if reorderCount > 0 {
            reorderCount -= 1
            return reorderCount == 0 ? .release : .hold
        }
        return .none
    }

    mutating func endReordering() { reorderCount = 0 }
}
