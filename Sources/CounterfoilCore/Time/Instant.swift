// SPDX-License-Identifier: Apache-2.0

/// A moment in time: milliseconds since 1970-01-01T00:00:00Z, as Apple's payloads count them.
///
/// Everything stored, compared and exchanged uses this type; text is RFC 3339 in UTC.
public struct Instant: Hashable, Sendable, Comparable {
    /// The distance from the epoch; negative before 1970.
    public var millisecondsSinceEpoch: Int64

    /// Makes the moment; every value of the type is a moment.
    public init(millisecondsSinceEpoch: Int64) {
        self.millisecondsSinceEpoch = millisecondsSinceEpoch
    }

    /// Makes the moment from whole seconds; values beyond the 64-bit range of milliseconds clamp.
    public init(secondsSinceEpoch: Int64) {
        let (value, overflow) = secondsSinceEpoch.multipliedReportingOverflow(by: 1000)
        millisecondsSinceEpoch = overflow ? (secondsSinceEpoch < 0 ? .min : .max) : value
    }

    /// Whether the left moment is the earlier one.
    public static func < (lhs: Instant, rhs: Instant) -> Bool {
        lhs.millisecondsSinceEpoch < rhs.millisecondsSinceEpoch
    }

    /// Adds a duration, clamping at the ends of the range and dropping parts below a millisecond.
    public static func + (lhs: Instant, rhs: Duration) -> Instant {
        let (sum, overflow) = lhs.millisecondsSinceEpoch
            .addingReportingOverflow(rhs.wholeMilliseconds)
        let end = rhs.wholeMilliseconds < 0 ? Int64.min : Int64.max
        return Instant(millisecondsSinceEpoch: overflow ? end : sum)
    }

    /// Subtracts a duration as `+` adds one.
    public static func - (lhs: Instant, rhs: Duration) -> Instant {
        let milliseconds = rhs.wholeMilliseconds
        let (difference, overflow) = lhs.millisecondsSinceEpoch
            .subtractingReportingOverflow(milliseconds)
        let end = milliseconds < 0 ? Int64.max : Int64.min
        return Instant(millisecondsSinceEpoch: overflow ? end : difference)
    }

    /// The time that passed from `earlier` to this moment, negative if that came later; clamped to 64
    /// bits of milliseconds.
    public func since(_ earlier: Instant) -> Duration {
        let (difference, overflow) =
            millisecondsSinceEpoch
            .subtractingReportingOverflow(earlier.millisecondsSinceEpoch)
        return .milliseconds(overflow ? (self < earlier ? .min : .max) : difference)
    }
}

extension Duration {
    /// The duration in milliseconds, rounded toward zero and clamped to 64 bits.
    public var wholeMilliseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        if overflow { return seconds < 0 ? .min : .max }
        let (sum, tooFar) = product.addingReportingOverflow(attoseconds / 1_000_000_000_000_000)
        return tooFar ? (seconds < 0 ? .min : .max) : sum
    }
}

/// The source of the present moment; a parameter everywhere, so that tests and simulations own it.
public protocol WallClock: Sendable {
    /// The present moment; it may step back when the machine's clock is set.
    var now: Instant { get }
}

/// A clock that always shows the moment it was given.
public struct FixedClock: WallClock {
    /// The moment given.
    public let now: Instant

    /// Stops the clock at a moment.
    public init(_ now: Instant) {
        self.now = now
    }
}
