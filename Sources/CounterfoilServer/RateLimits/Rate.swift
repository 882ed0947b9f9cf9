// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore

/// How often something may happen: on the average, and at once after a pause.
package struct Rate: Hashable, Sendable {
    package let perSecond: Int64
    package let burst: Int64

    package init(perSecond: Int64, burst: Int64) {
        self.perSecond = perSecond
        self.burst = burst
    }
}

/// The limits of an installation: the member `rate_limits`. Nil is no limit.
package struct RateLimits: Hashable, Sendable {
    /// Of each secret key. The studio's own servers are not limited unless it says so.
    package var secretKey: Rate?

    /// Of each address with each client key.
    package var clientAddress: Rate?

    /// Of each customer for whom an app acts.
    package var customer: Rate?

    /// Of each address, of requests whose key opens nothing.
    package var failedKey: Rate?

    /// What a shop full of players behind one address needs many times over, and what one player needs.
    package static let standard = RateLimits(
        secretKey: nil, clientAddress: Rate(perSecond: 100, burst: 1000),
        customer: Rate(perSecond: 5, burst: 100), failedKey: Rate(perSecond: 1, burst: 100))

    package static let none = RateLimits(
        secretKey: nil, clientAddress: nil, customer: nil, failedKey: nil)

    package init(
        secretKey: Rate?, clientAddress: Rate?, customer: Rate?, failedKey: Rate? = nil
    ) {
        self.secretKey = secretKey
        self.clientAddress = clientAddress
        self.customer = customer
        self.failedKey = failedKey
    }
}

extension RateLimits {
    init(_ value: JSONValue, path: String, findings: DocumentFindings) {
        var reader = ObjectReader(value, path: path, findings: findings)
        let standard = Self.standard
        secretKey = Self.rate("secret_key", standard.secretKey, &reader)
        clientAddress = Self.rate("client_address", standard.clientAddress, &reader)
        customer = Self.rate("customer", standard.customer, &reader)
        failedKey = Self.rate("failed_key", standard.failedKey, &reader)
        reader.finish()
    }

    /// `false` is no limit.
    private static func rate(
        _ key: String, _ standard: Rate?, _ reader: inout ObjectReader
    ) -> Rate? {
        guard let value = reader.value(key) else { return standard }
        if value.bool == false { return nil }
        var rate = ObjectReader(value, path: reader.path(key), findings: reader.findings)
        let perSecond = rate.integer("per_second", in: Limits.ratesPerSecond)
        let burst = rate.integer("burst", in: Limits.bursts)
        rate.finish()
        guard let perSecond, let burst else { return nil }
        return Rate(perSecond: perSecond, burst: burst)
    }
}
