// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilCrypto

/// A key that opens everything of its app to the studio's servers.
///
/// It has 256 random bits, so its plain SHA-256 is enough to store: there is nothing to guess.
struct SecretKey: Sendable {
    static let kind = "secret"
    private static let prefix = "cfs_"
    private static let randomByteCount = 32

    /// What the studio's server sends; shown once, stored nowhere.
    let text: String

    init(random: some RandomSource) {
        text = Self.prefix + Base64.encode(random.bytes(Self.randomByteCount), .url)
    }

    init(text: String) {
        self.text = text
    }

    /// What is stored and looked up.
    var digest: [UInt8] { Digest.sha256(text.utf8) }
}
