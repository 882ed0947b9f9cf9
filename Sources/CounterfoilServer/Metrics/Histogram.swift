// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import Synchronization

/// How durations are distributed, by labels.
package final class Histogram: MetricFamily {
    private struct Distribution: Sendable {
        var counts = [UInt64](repeating: 0, count: Histogram.bounds.count + 1)
        var totalMilliseconds: UInt64 = 0
    }

    /// Upper ends in milliseconds: from one commit to the longest that a request may take.
    private static let bounds: [Int64] = [
        1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 30_000,
    ]

    let head: MetricHead
    private let series: Mutex<SeriesTable<Distribution>>

    init(_ head: MetricHead) {
        self.head = head
        series = Mutex(SeriesTable(labelCount: head.labels.count, initial: Distribution()))
    }

    /// Counts a duration; `labels` in the order in which the histogram names them.
    package func observe(_ duration: Duration, _ labels: String...) {
        let milliseconds = max(0, duration.wholeMilliseconds)
        let place = Self.bounds.firstIndex { milliseconds <= $0 } ?? Self.bounds.count
        series.withLock { series in
            series.change(labels) { distribution in
                distribution.counts[place] &+= 1
                distribution.totalMilliseconds &+= UInt64(milliseconds)
            }
        }
    }

    func write(into text: inout String) {
        for (labels, distribution) in series.withLock({ $0.sorted }) {
            var count: UInt64 = 0
            for (bound, amount) in zip(Self.bounds, distribution.counts) {
                count &+= amount
                let end = ("le", Self.seconds(UInt64(bound)))
                text += "\(head.name)_bucket\(head.labelText(labels, and: end)) \(count)\n"
            }
            count &+= distribution.counts[Self.bounds.count]
            text += "\(head.name)_bucket\(head.labelText(labels, and: ("le", "+Inf"))) \(count)\n"
            let sum = Self.seconds(distribution.totalMilliseconds)
            text += "\(head.name)_sum\(head.labelText(labels)) \(sum)\n"
            text += "\(head.name)_count\(head.labelText(labels)) \(count)\n"
        }
    }

    /// Milliseconds as decimal seconds, exactly.
    private static func seconds(_ milliseconds: UInt64) -> String {
        let (whole, rest) = milliseconds.quotientAndRemainder(dividingBy: 1000)
        if rest == 0 { return String(whole) }
        let digits = String(rest)
        return "\(whole)." + String(repeating: "0", count: 3 - digits.count) + digits
    }
}
