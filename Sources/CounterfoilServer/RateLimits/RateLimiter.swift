// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore

/// Refuses those who ask too often, in the memory of this server.
///
/// What is refused is not lost: the answer says when to come again, and whoever holds evidence keeps it.
package struct RateLimiter: Sendable {
    private let limits: RateLimits
    private let table = RateTable(limit: Limits.rateBuckets)
    private let refusals: Counter

    /// Registers what it counts.
    package init(_ limits: RateLimits, metrics: MetricsRegistry) {
        self.limits = limits
        refusals = metrics.counter(
            "counterfoil_rate_limited_total",
            "Requests that were refused because they came too often.", labels: ["app", "limit"])
    }

    /// Counts a request of a key.
    ///
    /// A client key is in every copy of an app, so it has no limit of its own: whoever took it out of
    /// one could shut out all the others.
    func admit(_ principal: Principal, from address: String, at now: Instant) throws(Problem) {
        switch principal.kind {
        case .secret:
            try take(limits.secretKey, "secret_key", "\(principal.keyID)", principal.app, now)
        case .client:
            // A proxy on this machine that is not trusted to name the sender stands for everybody.
            guard address != "127.0.0.1", address != "::1" else { return }
            let name = "\(principal.keyID) \(Network.name(of: address))"
            try take(limits.clientAddress, "client_address", name, principal.app, now)
        }
    }

    /// Counts a request for a customer.
    func admit(
        _ customer: CustomerID, of principal: Principal, at now: Instant
    ) throws(Problem) {
        guard principal.kind == .client else { return }
        try take(
            limits.customer, "customer", "\(principal.app) \(customer)", principal.app, now)
    }

    private func take(
        _ rate: Rate?, _ limit: String, _ name: String, _ app: AppID, _ now: Instant
    ) throws(Problem) {
        guard let rate, let pause = table.take(from: "\(limit) \(name)", rate, at: now) else {
            return
        }
        refusals.increment(app.rawValue, limit)
        throw Problem(
            status: 429, code: "rate.limited",
            detail: "too many requests; \(limit) takes \(rate.perSecond) a second and "
                + "\(rate.burst) at once"
        ).retryable(after: pause)
    }
}
