// SPDX-License-Identifier: Apache-2.0

public import CounterfoilCore

/// Unpredictable bytes from the library's generator, which the kernel seeds.
public struct SystemRandom: RandomSource {
    /// The generator has no state of its own here, so values are interchangeable.
    public init() {}

    /// Returns `count` bytes fit for keys and tokens; stops the program if the system has none to
    /// give, since going on with guessable secrets would be worse.
    public func bytes(_ count: Int) -> [UInt8] {
        DigestCalls.randomBytes(count)
    }
}
