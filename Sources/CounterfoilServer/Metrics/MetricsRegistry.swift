// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// All metrics of a process, written as Prometheus reads them (text format 0.0.4).
package final class MetricsRegistry: Sendable {
    private let families = Mutex<[any MetricFamily]>([])

    package init() {}

    /// Makes a count that only grows; its name ends in `_total`.
    package func counter(_ name: String, _ help: String, labels: [String] = []) -> Counter {
        register(Counter(MetricHead(name: name, help: help, kind: "counter", labels: labels)))
    }

    /// Makes a distribution of durations; its name ends in `_seconds`.
    package func histogram(_ name: String, _ help: String, labels: [String] = []) -> Histogram {
        register(Histogram(MetricHead(name: name, help: help, kind: "histogram", labels: labels)))
    }

    /// Registers a number that is asked for when the page is read; `read` must not block.
    package func gauge(_ name: String, _ help: String, _ read: @escaping @Sendable () -> Int64) {
        _ = register(
            Gauge(head: MetricHead(name: name, help: help, kind: "gauge", labels: []), read: read))
    }

    /// Makes a set of numbers by their labels, which somebody sets anew from time to time.
    func gauges(_ name: String, _ help: String, labels: [String]) -> GaugeSet {
        register(GaugeSet(MetricHead(name: name, help: help, kind: "gauge", labels: labels)))
    }

    /// The page of metrics, in the order of registration.
    package var exposition: String {
        var text = ""
        for family in families.withLock({ $0 }) {
            text += "# HELP \(family.head.name) \(family.head.escapedHelp)\n"
            text += "# TYPE \(family.head.name) \(family.head.kind)\n"
            family.write(into: &text)
        }
        return text
    }

    private func register<Family: MetricFamily>(_ family: Family) -> Family {
        families.withLock { families in
            precondition(
                !families.contains { $0.head.name == family.head.name },
                "a metric is registered once")
            families.append(family)
        }
        return family
    }
}

/// What every kind of metric has.
protocol MetricFamily: Sendable {
    var head: MetricHead { get }
    func write(into text: inout String)
}

/// The name of a metric, what it means, and the names of its labels.
struct MetricHead: Sendable {
    let name: String
    let help: String
    let kind: String
    let labels: [String]

    var escapedHelp: String { Self.escaped(help, quotes: false) }

    /// `{a="x",b="y"}`, or nothing where there are no labels.
    func labelText(_ values: [String], and further: (String, String)? = nil) -> String {
        var pairs = zip(labels, values).map { "\($0)=\"\(Self.escaped($1, quotes: true))\"" }
        if let further { pairs.append("\(further.0)=\"\(further.1)\"") }
        return pairs.isEmpty ? "" : "{\(pairs.joined(separator: ","))}"
    }

    private static func escaped(_ text: String, quotes: Bool) -> String {
        text.reduce(into: "") { result, character in
            switch character {
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\"" where quotes: result += "\\\""
            default: result.append(character)
            }
        }
    }
}

/// Values by their labels, with a bound on how many combinations there may be.
struct SeriesTable<Value: Sendable>: Sendable {
    private let labelCount: Int
    private let initial: Value
    private var values: [[String]: Value] = [:]

    init(labelCount: Int, initial: Value) {
        self.labelCount = labelCount
        self.initial = initial
        if labelCount == 0 { values[[]] = initial }
    }

    mutating func change(_ labels: [String], _ change: (inout Value) -> Void) {
        precondition(labels.count == labelCount, "every label has a value")
        let isKnown = values[labels] != nil || values.count < Limits.seriesPerMetric
        let key = isKnown ? labels : [String](repeating: "other", count: labelCount)
        var value = values[key] ?? initial
        change(&value)
        values[key] = value
    }

    /// All series, ordered by their labels.
    var sorted: [(labels: [String], value: Value)] {
        values.map { ($0.key, $0.value) }
            .sorted { $0.labels.lexicographicallyPrecedes($1.labels) }
    }
}
