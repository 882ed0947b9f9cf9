// SPDX-License-Identifier: Apache-2.0

public import CounterfoilCore

/// From when to when a certificate may be used.
public struct Validity: Hashable, Sendable, CustomStringConvertible {
    /// The first second.
    public let notBefore: Instant

    /// The last second, which counts to its end.
    public let notAfter: Instant

    /// Makes the period.
    public init(notBefore: Instant, notAfter: Instant) {
        self.notBefore = notBefore
        self.notAfter = notAfter
    }

    /// Whether the moment lies in the period.
    public func contains(_ instant: Instant) -> Bool {
        notBefore <= instant && instant < notAfter + .seconds(1)
    }

    /// Both ends as RFC 3339 text.
    public var description: String { "\(notBefore) to \(notAfter)" }
}
