// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A count that only grows, by its labels.
package final class Counter: MetricFamily {
    let head: MetricHead
    private let series: Mutex<SeriesTable<UInt64>>

    init(_ head: MetricHead) {
        self.head = head
        series = Mutex(SeriesTable(labelCount: head.labels.count, initial: 0))
    }

    /// Counts; `labels` in the order in which the counter names them.
    package func increment(_ labels: String..., by amount: UInt64 = 1) {
        series.withLock { $0.change(labels) { $0 &+= amount } }
    }

    func write(into text: inout String) {
        for (labels, value) in series.withLock({ $0.sorted }) {
            text += "\(head.name)\(head.labelText(labels)) \(value)\n"
        }
    }
}

/// Numbers by their labels, as they were found last.
final class GaugeSet: MetricFamily {
    let head: MetricHead
    private let values = Mutex<[(labels: [String], value: Int64)]>([])

    init(_ head: MetricHead) {
        self.head = head
    }

    /// Takes the place of all values; what is not among them is not on the page any more.
    func set(_ fresh: [(labels: [String], value: Int64)]) {
        values.withLock { $0 = Array(fresh.prefix(Limits.seriesPerMetric)) }
    }

    func write(into text: inout String) {
        for (labels, value) in values.withLock({ $0 }) {
            text += "\(head.name)\(head.labelText(labels)) \(value)\n"
        }
    }
}

/// A number that is asked for.
struct Gauge: MetricFamily {
    let head: MetricHead
    let read: @Sendable () -> Int64

    func write(into text: inout String) {
        text += "\(head.name) \(read())\n"
    }
}
