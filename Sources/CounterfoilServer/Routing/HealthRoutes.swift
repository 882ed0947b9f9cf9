// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilHTTP

extension Route {
    /// `/healthz` says that the process is alive, `/readyz` whether it can do its work, `/metrics`
    /// what it did.
    ///
    /// - Parameters:
    ///   - refresh: Called before the metrics are read, for those that must be counted.
    ///   - isReady: Whether the database answers; an error means that it does not.
    package static func health(
        metrics: MetricsRegistry, refresh: @escaping @Sendable () async -> Void = {},
        isReady: @escaping @Sendable () async throws -> Bool
    ) -> [Route] {
        [
            .open(.get, "/healthz") { _ in .json(["status": "alive"]) },
            .open(.get, "/readyz") { _ in
                // The error itself is of no use to a load balancer; the log gets it from elsewhere.
                let ready = (try? await isReady()) ?? false
                guard ready else { throw Problem.notReady }
                return .json(["status": "ready"])
            },
            .open(.get, "/metrics") { _ in
                await refresh()
                return HTTPResponse(
                    status: 200,
                    headers: ["Content-Type": "text/plain; version=0.0.4; charset=utf-8"],
                    body: Array(metrics.exposition.utf8))
            },
        ]
    }
}

extension Problem {
    static let notReady = Problem(
        status: 503, code: "server.not_ready", detail: "the database does not answer"
    ).retryable(after: .seconds(2))
}
