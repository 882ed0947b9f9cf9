// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilCrypto

/// What a key opens.
package enum KeyKind: String, CaseIterable, Sendable {
    /// Everything of its app, to the studio's servers.
    case secret

    /// What an app on a device may do for the one customer whom a credential names.
    case client

    fileprivate var prefix: String {
        switch self {
        case .secret: "cfs_"
        case .client: "cfc_"
        }
    }
}

/// A key as it is sent; shown once, stored nowhere.
///
/// It has 256 random bits, so its plain SHA-256 is enough to store: there is nothing to guess.
struct KeyText: Sendable {
    private static let randomByteCount = 32

    let text: String

    init(_ kind: KeyKind, random: some RandomSource) {
        text = kind.prefix + Base64.encode(random.bytes(Self.randomByteCount), .url)
    }

    init(text: String) {
        self.text = text
    }

    /// What is stored and looked up.
    var digest: [UInt8] { Digest.sha256(text.utf8) }
}
