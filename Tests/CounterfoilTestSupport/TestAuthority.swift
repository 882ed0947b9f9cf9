// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilCrypto
public import CounterfoilSimulator

/// One authority for all tests of a process, since making its RSA keys takes a while.
public enum TestAuthority {
    /// The moment that the shared authority was made at, which its certificates surround.
    public static let clock = ManualClock()

    private static let made = Result {
        try Authority(clock: clock, random: SystemRandom())
    }

    /// The shared authority.
    public static var shared: Authority {
        get throws { try made.get() }
    }
}
