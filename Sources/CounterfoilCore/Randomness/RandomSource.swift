// SPDX-License-Identifier: Apache-2.0

/// The source of unpredictable bytes; a parameter everywhere, so that simulations are repeatable.
public protocol RandomSource: Sendable {
    /// Returns `count` bytes, each drawn independently.
    func bytes(_ count: Int) -> [UInt8]
}
