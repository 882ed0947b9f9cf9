// SPDX-License-Identifier: Apache-2.0

internal import CounterfoilCore

/// How much evidence may hold before it is refused, and why that much.
enum Limits {
    /// Values longer than this are named by their kind in messages, so that an error stays one line.
    static let quotedByteCount = 64
}
