// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// The digests of evidence that this server stored lately, so that handing it in again does not pack
/// it again.
///
/// Only a hint: whoever leaves the evidence out looks in the transaction whether it is really there.
/// Fresh evidence, the usual case, costs no look into the database by this.
final class RecentEvidence: Sendable {
    private struct Content {
        /// Whether it was stored as verified.
        var isVerified: [[UInt8]: Bool] = [:]

        /// In the order of storing; `next` is the oldest once it is full.
        var order: [[UInt8]] = []
        var next = 0
    }

    private let limit: Int
    private let content = Mutex(Content())

    init(limit: Int) {
        self.limit = limit
    }

    /// Whether storing it would change nothing, as far as is remembered.
    func holds(_ sha256: [UInt8], asVerified isVerified: Bool) -> Bool {
        content.withLock { content in
            guard let known = content.isVerified[sha256] else { return false }
            return known || !isVerified
        }
    }

    /// Remembers evidence that is stored whole; call it after the commit.
    func remember(_ sha256: [UInt8], asVerified isVerified: Bool) {
        content.withLock { content in
            if let known = content.isVerified[sha256] {
                content.isVerified[sha256] = known || isVerified
                return
            }
            content.isVerified[sha256] = isVerified
            if content.order.count < limit {
                content.order.append(sha256)
                return
            }
            content.isVerified[content.order[content.next]] = nil
            content.order[content.next] = sha256
            content.next = (content.next + 1) % limit
        }
    }
}
