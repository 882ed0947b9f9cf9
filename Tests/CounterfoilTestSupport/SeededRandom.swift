// SPDX-License-Identifier: Apache-2.0
public import CounterfoilCore
import Synchronization

/// Bytes that depend on the seed alone (SplitMix64), so that a failure can be run again.
public final class SeededRandom: RandomSource, RandomNumberGenerator {
    private let state: Mutex<UInt64>

    /// Starts a sequence; equal seeds give equal sequences.
    public init(seed: UInt64) {
        state = Mutex(seed)
    }

    /// The next eight bytes of the sequence as a number.
    public func next() -> UInt64 {
        state.withLock { state in
            state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = state
            mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
            return mixed ^ (mixed >> 31)
        }
    }

    /// The next bytes of the sequence; a part of eight that is not asked for is lost.
    public func bytes(_ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count)
        while bytes.count < count {
            let word = next()
            let needed = min(8, count - bytes.count)
            bytes += (0..<needed).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) }
        }
        return bytes
    }
}
