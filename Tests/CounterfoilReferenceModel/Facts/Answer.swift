// SPDX-License-Identifier: Apache-2.0

/// What a client is told about the transaction that it claims.
package struct Answer: Hashable, Sendable, CustomStringConvertible {
    package let status: String
    package let reason: String?
    package let client: String

    /// An answer that was seen.
    package init(status: String, reason: String?, client: String) {
        self.status = status
        self.reason = reason
        self.client = client
    }

    package var description: String {
        "\(status)\(reason.map { "(\($0))" } ?? "") \(client)"
    }

    static let fulfilled = Answer(status: "fulfilled", reason: nil, client: "finish")
    static let alreadyFulfilled = Answer(
        status: "already_fulfilled", reason: nil, client: "finish")
    static let restored = Answer(status: "restored", reason: nil, client: "finish")

    /// Decided against the customer for good.
    static func refused(_ reason: String) -> Answer {
        Answer(status: "rejected", reason: reason, client: "finish")
    }

    /// Held: the client may finish where the owner is known, since the proof is here.
    static func parked(_ reason: String) -> Answer {
        let needsOwner = reason == "no_owner" || reason == "unknown_token"
        return Answer(status: "parked", reason: reason, client: needsOwner ? "keep" : "finish")
    }

    static func pending(_ reason: String) -> Answer {
        Answer(status: "pending", reason: reason, client: "keep")
    }

    static func unproven(_ reason: String) -> Answer {
        Answer(status: "rejected", reason: reason, client: "keep")
    }
}
