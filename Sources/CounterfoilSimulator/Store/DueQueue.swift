// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore

/// What will happen at a moment, the earliest first; equal moments keep the order of insertion.
///
/// Entries are never taken out early: one whose generation is over is passed by when it comes up.
struct DueQueue: Sendable {
    enum Kind: UInt8, Sendable {
        case subscription
        case externalToken
        case massExtension
        case attempt
    }

    struct Entry: Sendable {
        var time: Instant
        var sequence: UInt64
        var subject: Int32
        var generation: UInt32
        var kind: Kind

        func isBefore(_ other: Entry) -> Bool {
            time == other.time ? sequence < other.sequence : time < other.time
        }
    }

    private var heap: [Entry] = []
    private var nextSequence: UInt64 = 0

    var first: Entry? { heap.first }

    mutating func add(_ kind: Kind, _ subject: Int32, generation: UInt32 = 0, at time: Instant) {
        heap.append(
            Entry(
                time: time, sequence: nextSequence, subject: subject, generation: generation,
                kind: kind))
        nextSequence += 1
        var child = heap.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard heap[child].isBefore(heap[parent]) else { break }
            heap.swapAt(child, parent)
            child = parent
        }
    }

    mutating func removeFirst() {
        guard let last = heap.popLast(), !heap.isEmpty else { return }
        heap[0] = last
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2]
            where child < heap.count && heap[child].isBefore(heap[least]) {
                least = child
            }
            guard least != parent else { return }
            heap.swapAt(least, parent)
            parent = least
        }
    }
}
