// SPDX-License-Identifier: Apache-2.0

package import CounterfoilCore
import CounterfoilCrypto
import CounterfoilStore

/// The name that a caller gave to one write, so that repeating it has no second effect.
package struct IdempotencyKey: Hashable, Sendable {
    package let app: AppID

    /// Of the key together with whoever sent it: equal keys of two customers are two keys.
    let digest: [UInt8]

    /// Of all that is asked for; a repeat must ask for the same.
    let requestDigest: [UInt8]

    /// - Parameters:
    ///   - key: What the caller chose, at most 255 bytes.
    ///   - principal: Who may repeat it: all secret keys of an app are one, each customer is one.
    ///   - requestDigest: SHA-256 over method, path and body.
    package init(app: AppID, key: String, principal: String, requestDigest: [UInt8]) {
        precondition(key.utf8.count <= Limits.idempotencyKeyByteCount, "the key is too long")
        self.app = app
        self.requestDigest = requestDigest
        // Neither of the two can hold a NUL, so this is one text for each pair.
        digest = Digest.sha256(Array("\(principal)\u{0}\(key)".utf8))
    }
}

/// An answer that is given again when its request is repeated.
package struct StoredReply: Hashable, Sendable {
    /// The HTTP status.
    package let status: Int
    package let body: JSONValue

    /// Whether it was answered before and nothing happened this time.
    package private(set) var isRepeat = false

    package init(status: Int = 200, body: JSONValue) {
        self.status = status
        self.body = body
    }

    /// - Throws: ``IdempotencyConflict/keyReused`` if it answered another request; ``JSONError`` if
    ///   what is stored is no longer what was kept.
    init(repeating earlier: IdempotencyRecord, to key: IdempotencyKey) throws {
        guard earlier.requestDigest == key.requestDigest else {
            throw IdempotencyConflict.keyReused
        }
        self.init(status: Int(earlier.status), body: try JSONValue(parsing: earlier.body.utf8))
        isRepeat = true
    }
}

/// Why a write that named itself was not done.
package enum IdempotencyConflict: Error, Hashable, Sendable {
    /// The name belongs to an earlier request that asked for something else.
    case keyReused

    /// This server still works on the first request of that name.
    case stillRunning
}
