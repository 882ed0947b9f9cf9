// SPDX-License-Identifier: Apache-2.0

import CounterfoilDatabase

extension Schema {
    /// What was answered to writes that named themselves, so that repeating one is answered alike.
    /// Neither the key nor whose it is stands here, only a digest of both. `created_at` is by the
    /// database's clock. A row without an answer is seen by its own transaction only.
    static let idempotencyKeys = Table(
        "idempotency_keys",
        columns: [
            .app, .bytes("key_digest", maximum: 32), .bytes("request_digest", maximum: 32),
            .integer("status").nullable, .text("body", maximum: Limits.keptReply).nullable,
            .createdAt,
        ],
        primaryKey: ["app", "key_digest"], indexes: [.init(["created_at"])])
}
