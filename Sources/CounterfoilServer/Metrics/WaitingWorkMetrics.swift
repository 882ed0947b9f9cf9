// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
package import CounterfoilEngine
import CounterfoilStore
import Synchronization

/// What waits for somebody, as numbers: the page of metrics is where an alarm can be hung on it.
package final class WaitingWorkMetrics: Sendable {
    private let engine: Engine
    private let clock: any WallClock
    private let parked: Family
    private let due: Family
    private let jobs: Family
    private let waitingDeliveries: Family
    private let deadDeliveries: Family
    private let readAt = Mutex<Instant?>(nil)

    /// How many wait, and for how long the oldest of them.
    private struct Family: Sendable {
        let count: GaugeSet
        let age: GaugeSet

        init(_ registry: MetricsRegistry, _ name: String, _ what: String, labels: [String]) {
            count = registry.gauges(
                "counterfoil_\(name)",
                "\(what), counted up to \(CounterfoilStore.Limits.backlogCount).", labels: labels)
            age = registry.gauges(
                "counterfoil_\(name)_oldest_seconds", "Age of the oldest of them; 0 without any.",
                labels: labels)
        }

        func set(_ backlogs: [(labels: [String], backlog: Backlog)], at now: Instant) {
            count.set(backlogs.map { ($0.labels, $0.backlog.count) })
            age.set(
                backlogs.map { labels, backlog in
                    let age = backlog.oldest.map { now.since($0).wholeMilliseconds / 1000 } ?? 0
                    return (labels, max(0, age))
                })
        }
    }

    /// Registers the metrics.
    package init(engine: Engine, metrics: MetricsRegistry) {
        self.engine = engine
        clock = engine.clock
        let labels = ["app", "environment"]
        parked = Family(
            metrics, "parked_transactions", "Genuine purchases that something stands in the way of",
            labels: labels)
        due = Family(
            metrics, "due_grants", "Grants that wait for the game server's acknowledgement",
            labels: labels)
        jobs = Family(metrics, "waiting_jobs", "Jobs that are owed", labels: [])
        waitingDeliveries = Family(
            metrics, "waiting_deliveries", "Webhooks that wait for their time", labels: ["app"])
        deadDeliveries = Family(
            metrics, "dead_deliveries", "Webhooks that were given up", labels: ["app"])
    }

    /// Counts anew, unless that was done a moment ago. Where the database does not answer, there are
    /// no numbers rather than old ones.
    package func refresh() async {
        let now = clock.now
        let isFresh = readAt.withLock { last in
            if let last, now.since(last) < Limits.waitingWorkInterval, now >= last { return true }
            last = now
            return false
        }
        if isFresh { return }
        let work = try? await engine.waitingWork()
        let places = work?.places ?? []
        parked.set(places.map { ($0.labels, $0.parked) }, at: now)
        due.set(places.map { ($0.labels, $0.due) }, at: now)
        let outboxes = work?.outboxes ?? []
        waitingDeliveries.set(outboxes.map { ([$0.app.rawValue], $0.waiting) }, at: now)
        deadDeliveries.set(outboxes.map { ([$0.app.rawValue], $0.dead) }, at: now)
        jobs.set(work.map { [([], $0.jobs)] } ?? [], at: now)
    }
}

extension WaitingWork.Place {
    fileprivate var labels: [String] { [app.rawValue, environment.rawValue] }
}
