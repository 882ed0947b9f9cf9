// SPDX-License-Identifier: Apache-2.0

/// How much this module takes from outside before it refuses.
enum Limits {
    /// A real receipt with 187 purchases has 79 KB; 4 MB are fifty times that.
    static let maximumContainerByteCount = 4 << 20

    /// Receipts and certificates nest about ten deep.
    static let maximumNestingDepth = 50

    /// Elements side by side in one structure; a 4 MB receipt of small purchases has about 15,000.
    static let maximumSiblingCount = 100_000
}
