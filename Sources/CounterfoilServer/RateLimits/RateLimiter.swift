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
    func admit(_ principal: Principal, from address: String, at now: Instant) throws(Problem) {
        try take(bucket(of: principal, from: address), principal.app, now)
    }

    /// Counts a request for a customer.
    func admit(
        _ customer: CustomerID, of principal: Principal, at now: Instant
    ) throws(Problem) {
        try take(bucket(of: customer, principal), principal.app, now)
    }

    /// Counts what an admitted request asks for beside the first thing. It is not refused for it; what
    /// is more than the limits let waits before the next request.
    func charge(_ cost: Int64, to principal: Principal, from address: String) {
        let customer = principal.customer.flatMap { bucket(of: $0, principal) }
        for bucket in [bucket(of: principal, from: address), customer].compactMap(\.self) {
            table.owe(cost, to: bucket.name, bucket.rate)
        }
    }

    /// Counts a request whose key opens nothing. Those of whoever has a good one are never counted here,
    /// be they from the same address.
    func refuse(from address: String, at now: Instant) throws(Problem) {
        guard !isProxy(address) else { return }
        let bucket = Bucket("failed_key", Network.name(of: address), limits.failedKey)
        try take(bucket, nil, now)
    }

    private struct Bucket {
        let limit: String
        let name: String
        let rate: Rate

        init?(_ limit: String, _ holder: String, _ rate: Rate?) {
            guard let rate else { return nil }
            self.limit = limit
            self.rate = rate
            name = "\(limit) \(holder)"
        }
    }

    /// A client key is in every copy of an app, so it has no limit of its own: whoever took it out of
    /// one could shut out all the others.
    private func bucket(of principal: Principal, from address: String) -> Bucket? {
        switch principal.kind {
        case .secret: return Bucket("secret_key", "\(principal.keyID)", limits.secretKey)
        case .client:
            guard !isProxy(address) else { return nil }
            return Bucket(
                "client_address", "\(principal.keyID) \(Network.name(of: address))",
                limits.clientAddress)
        }
    }

    /// A proxy on this machine that is not trusted to name the sender stands for everybody.
    private func isProxy(_ address: String) -> Bool { ["127.0.0.1", "::1"].contains(address) }

    private func bucket(of customer: CustomerID, _ principal: Principal) -> Bucket? {
        guard principal.kind == .client else { return nil }
        return Bucket("customer", "\(principal.app) \(customer)", limits.customer)
    }

    private func take(_ bucket: Bucket?, _ app: AppID?, _ now: Instant) throws(Problem) {
        guard let bucket, let pause = table.take(from: bucket.name, bucket.rate, at: now) else {
            return
        }
        refusals.increment(app?.rawValue ?? "", bucket.limit)
        throw Problem(
            status: 429, code: "rate.limited",
            detail: "too many requests; \(bucket.limit) takes \(bucket.rate.perSecond) a second "
                + "and \(bucket.rate.burst) at once"
        ).retryable(after: pause)
    }
}
