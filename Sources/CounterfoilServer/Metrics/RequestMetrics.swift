// SPDX-License-Identifier: Apache-2.0

import CounterfoilHTTP
import Synchronization

/// What the handler counts of requests.
package final class RequestMetrics: Sendable {
    private let requests: Counter
    private let durations: Histogram
    private let refusals: Counter
    private let running: RunningCount

    private final class RunningCount: Sendable {
        let value = Atomic<Int64>(0)
    }

    /// Registers the metrics.
    package init(_ registry: MetricsRegistry) {
        requests = registry.counter(
            "counterfoil_http_requests_total", "Requests answered.",
            labels: ["method", "route", "status"])
        durations = registry.histogram(
            "counterfoil_http_request_duration_seconds",
            "Time from a complete request to its answer.", labels: ["route"])
        refusals = registry.counter(
            "counterfoil_http_refusals_total", "Requests refused before they were routed.",
            labels: ["code"])
        let running = RunningCount()
        self.running = running
        registry.gauge("counterfoil_http_requests_running", "Requests being answered.") {
            running.value.load(ordering: .relaxed)
        }
    }

    func begin() {
        running.value.add(1, ordering: .relaxed)
    }

    func end(_ method: HTTPMethod, _ route: PathTemplate?, status: Int, duration: Duration) {
        running.value.subtract(1, ordering: .relaxed)
        // What a client makes up is no label: methods and paths that nobody here knows are one.
        let known: [HTTPMethod] = [.get, .head, .post, .put, .patch, .delete]
        let methodName = known.contains(method) ? method.rawValue : "other"
        let routeName = route?.description ?? "none"
        requests.increment(methodName, routeName, String(status))
        durations.observe(duration, routeName)
    }

    func count(_ refusal: HTTPRefusal) {
        refusals.increment(refusal.code)
    }
}
