// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
package import CounterfoilEngine
import CounterfoilHTTP

/// The HTTP interface of version 1 over one engine.
package struct Interface: Sendable {
    let engine: Engine
    let submissions: Counter

    /// Registers what it counts.
    package init(engine: Engine, metrics: MetricsRegistry) {
        self.engine = engine
        submissions = metrics.counter(
            "counterfoil_submissions_total",
            "Pieces of evidence handed in, by what became of them.",
            labels: ["app", "status", "reason"])
    }

    /// All routes; a test holds the documentation against them.
    package var routes: [Route] {
        purchaseRoutes + customerRoutes + transactionRoutes + grantRoutes + eventRoutes
    }

    /// The policy of the key's app.
    ///
    /// - Throws: ``Problem`` if the app is no longer configured, although the key still stands.
    func policy(of principal: Principal) throws(Problem) -> AppPolicy {
        guard let policy = engine.policies[principal.app] else {
            throw Problem(
                status: 403, code: "auth.app_not_configured",
                detail: "the key's app \"\(principal.app)\" is not in the configuration")
        }
        return policy
    }
}

extension RequestContext {
    /// The environment of a read; Production where none is named.
    func environment() throws(Problem) -> AppStoreEnvironment {
        guard let name = request.target.queryValue("environment") else { return .production }
        let environment = AppStoreEnvironment(rawValue: name)
        guard environment == .production || environment == .sandbox else {
            throw .parameter("environment", "is neither Production nor Sandbox")
        }
        return environment
    }

    /// The length of a page of a list.
    func pageLimit() throws(Problem) -> Int64 {
        try query("limit", in: Limits.pageLimits) ?? Limits.defaultPageLimit
    }
}
