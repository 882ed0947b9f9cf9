// SPDX-License-Identifier: Apache-2.0
public import CounterfoilCore
import CounterfoilCrypto
public import CounterfoilSimulator

/// One authority for all tests of a process, since making its RSA keys takes a while.
public enum TestAuthority {
    /// A moment in November 2026 that the shared authority was made at, which its certificates surround.
    public static let clock = FixedClock(
        Instant(millisecondsSinceEpoch: 1_796_000_000_000))

    private static let made = Result {
        try Authority(clock: clock, random: SystemRandom())
    }

    /// The shared authority.
    public static var shared: Authority {
        get throws { try made.get() }
    }
}
