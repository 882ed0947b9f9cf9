// SPDX-License-Identifier: Apache-2.0

package import CounterfoilCore
import CounterfoilCrypto

/// What whoever made an order can show for it later, for purchases without an account token.
///
/// It has 256 bits that nobody can guess, so its plain SHA-256 is enough to store.
package struct OrderTicket: Sendable {
    private static let prefix = "cft_"
    private static let randomByteCount = 32

    /// Told once, stored nowhere.
    package let text: String

    init(random: some RandomSource) {
        self.init(random.bytes(Self.randomByteCount))
    }

    /// The ticket that follows from what only the order's maker knows, the same each time.
    package init(of order: UniqueID, secret: String) {
        self.init(
            MessageAuthentication.hmacSHA256(
                key: Array(secret.utf8), message: Array("ticket \(order)".utf8)))
    }

    private init(_ bytes: [UInt8]) {
        text = Self.prefix + Base64.encode(bytes, .url)
    }

    init(text: String) {
        self.text = text
    }

    /// The digest of no ticket, to compare with where there is no order.
    static let noDigest = [UInt8](repeating: 0, count: 32)

    /// What is stored.
    var digest: [UInt8] { Digest.sha256(text.utf8) }
}
