// SPDX-License-Identifier: Apache-2.0

package import CounterfoilCore
package import CounterfoilDatabase

/// What was answered to a write that named itself.
package struct IdempotencyRecord: Hashable, Sendable {
    package let app: AppID

    /// Of the key and of whoever sent it.
    package let keyDigest: [UInt8]

    /// Of all that the request asked for.
    package let requestDigest: [UInt8]
    package let status: Int64
    package let body: String

    package init(
        app: AppID, keyDigest: [UInt8], requestDigest: [UInt8], status: Int64, body: String
    ) {
        self.app = app
        self.keyDigest = keyDigest
        self.requestDigest = requestDigest
        self.status = status
        self.body = body
    }
}

extension ReadTransaction {
    /// What was answered to the request that took a key, if it came to its end.
    ///
    /// - Parameter lifetime: How long an answer is kept; an older one counts no more.
    package func idempotencyRecord(
        _ app: AppID, _ keyDigest: [UInt8], lifetime: Duration
    ) throws(DatabaseError) -> IdempotencyRecord? {
        let stored = try storedIdempotencyKey(app, keyDigest)
        guard let stored, stored.createdAt + lifetime > (try currentTime()) else { return nil }
        return stored.record
    }

    fileprivate func storedIdempotencyKey(
        _ app: AppID, _ keyDigest: [UInt8]
    ) throws(DatabaseError) -> (record: IdempotencyRecord, createdAt: Instant)? {
        let row = try row(
            """
            SELECT request_digest, status, body, created_at FROM idempotency_keys
            WHERE app = $1 AND key_digest = $2
            """, [.value(app), .value(keyDigest)])
        guard let row else { return nil }
        let record = IdempotencyRecord(
            app: app, keyDigest: keyDigest, requestDigest: try row.bytes(0),
            status: try row.integer(1), body: try row.text(2))
        return (record, try row.instant(3))
    }
}

extension WriteTransaction {
    /// Takes a key for the request that runs in this transaction, or returns what was answered to the
    /// one that took it before.
    ///
    /// Where several transactions write at the same time, it waits for another one that has just taken
    /// the key. So it is the first lock of its transaction.
    ///
    /// - Parameter lifetime: How long an answer is kept; an older one counts no more.
    package func takeIdempotencyKey(
        _ app: AppID, _ keyDigest: [UInt8], for requestDigest: [UInt8], lifetime: Duration
    ) throws(DatabaseError) -> IdempotencyRecord? {
        let now = try currentTime()
        while true {
            let isTaken = try change(
                """
                INSERT INTO idempotency_keys
                (app, key_digest, request_digest, status, body, created_at)
                VALUES ($1, $2, $3, NULL, NULL, $4) ON CONFLICT (app, key_digest) DO NOTHING
                """,
                [.value(app), .value(keyDigest), .value(requestDigest), .value(now)])
            if isTaken == 1 { return nil }
            let stored = try storedIdempotencyKey(app, keyDigest)
            // It may have been swept between the two statements; then the key is free.
            guard let stored else { continue }
            guard stored.createdAt + lifetime <= now else { return stored.record }
            try execute(
                """
                DELETE FROM idempotency_keys
                WHERE app = $1 AND key_digest = $2 AND created_at = $3
                """, [.value(app), .value(keyDigest), .value(stored.createdAt)])
        }
    }

    /// Keeps the answer to the request that took the key in this transaction.
    package func keep(_ record: IdempotencyRecord) throws(DatabaseError) {
        try execute(
            """
            UPDATE idempotency_keys SET status = $3, body = $4
            WHERE app = $1 AND key_digest = $2 AND status IS NULL
            """,
            [
                .value(record.app), .value(record.keyDigest), .value(record.status),
                .value(record.body),
            ], expecting: .one)
    }

    /// Forgets answers that are older than their lifetime, the oldest first.
    ///
    /// - Returns: How many were forgotten; as many as the limit if there may be more.
    package func sweepIdempotencyKeys(
        lifetime: Duration, limit: Int64
    ) throws(DatabaseError) -> Int {
        // A row that somebody else sweeps at the same time is left to them.
        let rows = try unlockedRows(
            """
            SELECT app, key_digest FROM idempotency_keys WHERE created_at <= $1
            ORDER BY created_at LIMIT $2
            """, [.value(try currentTime() - lifetime), .value(limit)])
        for row in rows {
            try execute(
                "DELETE FROM idempotency_keys WHERE app = $1 AND key_digest = $2",
                [.value(try row.text(0)), .value(try row.bytes(1))])
        }
        return rows.count
    }
}
