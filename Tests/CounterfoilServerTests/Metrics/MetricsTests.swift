// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilHTTP
import CounterfoilServer
import Testing

struct MetricsAreWrittenAsPrometheusReadsThem {
    @Test("Counters, gauges and histograms are written with their labels in order")
    func exposition() {
        let registry = MetricsRegistry()
        let plain = registry.counter("a_total", "Plain.")
        let labelled = registry.counter("b_total", "With\nlabels \\.", labels: ["x", "y"])
        let durations = registry.histogram("c_seconds", "Durations.")
        registry.gauge("d", "A number.") { -5 }
        plain.increment()
        plain.increment(by: 2)
        labelled.increment("2", "quote\" back\\ line\n")
        labelled.increment("1", "")
        durations.observe(.milliseconds(1))
        durations.observe(.milliseconds(1500))
        durations.observe(.seconds(60))
        let lines = registry.exposition.split(separator: "\n").map(String.init)
        #expect(lines.prefix(2) == ["# HELP a_total Plain.", "# TYPE a_total counter"])
        #expect(lines.contains("a_total 3"))
        #expect(lines.contains(#"# HELP b_total With\nlabels \\."#))
        let first = lines.firstIndex(of: #"b_total{x="1",y=""} 1"#)
        let second = lines.firstIndex(of: #"b_total{x="2",y="quote\" back\\ line\n"} 1"#)
        #expect(first.flatMap { first in second.map { first < $0 } } == true)
        #expect(lines.contains(#"c_seconds_bucket{le="0.001"} 1"#))
        #expect(lines.contains(#"c_seconds_bucket{le="1"} 1"#))
        #expect(lines.contains(#"c_seconds_bucket{le="2"} 2"#))
        #expect(lines.contains(#"c_seconds_bucket{le="30"} 2"#))
        #expect(lines.contains(#"c_seconds_bucket{le="+Inf"} 3"#))
        #expect(lines.contains("c_seconds_sum 61.501"))
        #expect(lines.contains("c_seconds_count 3"))
        #expect(lines.contains("d -5"))
    }

    @Test("A counter that was never used is there with zero")
    func zero() {
        let registry = MetricsRegistry()
        _ = registry.counter("a_total", "Plain.")
        #expect(registry.exposition.contains("\na_total 0\n"))
    }

    @Test("Labels cannot make the page grow without end")
    func bounded() {
        let registry = MetricsRegistry()
        let counter = registry.counter("a_total", "Labelled.", labels: ["x"])
        for number in 0..<5000 { counter.increment(String(number)) }
        let lines = registry.exposition.split(separator: "\n")
        #expect(lines.count < 600)
        #expect(lines.contains(#"a_total{x="other"} 4500"#))
    }

    @Test("Requests are counted by route and status, made-up paths and methods together")
    func requests() async throws {
        let fixture = Fixture([
            .open(.get, "/v1/customers/{customer_id}") { _ in HTTPResponse(status: 200) }
        ])
        _ = try await fixture.send(.get, "/v1/customers/a")
        _ = try await fixture.send(.get, "/v1/customers/b")
        _ = try await fixture.send(HTTPMethod(rawValue: "BREW"), "/tea")
        _ = fixture.handler.response(
            to: HTTPRefusal(status: 413, code: "http.body_too_large", message: ""))
        let lines = fixture.registry.exposition.split(separator: "\n").map(String.init)
        #expect(
            lines.contains(
                "counterfoil_http_requests_total"
                    + #"{method="GET",route="/v1/customers/{customer_id}",status="200"} 2"#))
        #expect(
            lines.contains(
                #"counterfoil_http_requests_total{method="other",route="none",status="404"} 1"#))
        #expect(
            lines.contains(#"counterfoil_http_refusals_total{code="http.body_too_large"} 1"#))
        #expect(lines.contains("counterfoil_http_requests_running 0"))
    }

    @Test("Health, readiness and metrics answer without a key")
    func health() async throws {
        struct Down: Error {}
        let registry = MetricsRegistry()
        let up = Fixture(Route.health(metrics: registry) { true })
        let down = Fixture(Route.health(metrics: registry) { throw Down() })
        #expect(try await up.send(.get, "/healthz").json == ["status": "alive"])
        #expect(try await up.send(.get, "/readyz").json == ["status": "ready"])
        #expect(try await down.send(.get, "/healthz").status == 200)
        let notReady = try await down.send(.get, "/readyz")
        #expect(notReady.status == 503)
        #expect(try notReady.code == "server.not_ready")
        let metrics = try await up.send(.get, "/metrics")
        #expect(metrics.headers["Content-Type"]?.hasPrefix("text/plain; version=0.0.4") == true)
    }
}
