// SPDX-License-Identifier: Apache-2.0

/// How much evidence may hold before it is refused, and why that much.
enum Limits {
    /// Values longer than this are named by their kind in messages, so that an error stays one line.
    static let quotedByteCount = 64

    /// As much as the server takes in one body (field case 09 asks for 8 MB).
    static let textByteCount = 8 << 20

    /// A transaction receipt has 5 entries outside and about 25 inside.
    static let dictionaryEntryCount = 100

    /// The largest real sandbox receipt has 187; 8 MB hold about 30,000 small ones.
    static let purchaseCount = 40_000
}
