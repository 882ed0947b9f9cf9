// SPDX-License-Identifier: Apache-2.0

package import CounterfoilCore
package import CounterfoilDatabase

/// One piece of evidence as it is kept.
package struct EvidenceRecord: Sendable {
    /// How the bytes are kept.
    package enum Encoding: Int64, Sendable {
        case whole = 0

        /// Only the beginning: it was refused when the day's quota was spent.
        case beginning = 1
    }

    package var sha256: [UInt8]
    package var kind: String
    package var encoding: Encoding
    package var bytes: [UInt8]
    package var byteCount: Int64
    package var isVerified: Bool
    package var receivedAt: Instant

    package init(
        sha256: [UInt8], kind: String, encoding: Encoding, bytes: [UInt8], byteCount: Int64,
        isVerified: Bool, receivedAt: Instant
    ) {
        self.sha256 = sha256
        self.kind = kind
        self.encoding = encoding
        self.bytes = bytes
        self.byteCount = byteCount
        self.isVerified = isVerified
        self.receivedAt = receivedAt
    }
}

extension ReadTransaction {
    package func evidence(_ sha256: [UInt8]) throws(DatabaseError) -> EvidenceRecord? {
        let row = try row(
            """
            SELECT kind, encoding, bytes, byte_count, is_verified, received_at
            FROM evidence WHERE sha256 = $1
            """, [.value(sha256)])
        guard let row else { return nil }
        guard let encoding = EvidenceRecord.Encoding(rawValue: try row.integer(1)) else {
            throw DatabaseError(.unexpectedValue, "evidence has an unknown encoding")
        }
        return EvidenceRecord(
            sha256: sha256, kind: try row.text(0), encoding: encoding, bytes: try row.bytes(2),
            byteCount: try row.integer(3), isVerified: try row.boolean(4),
            receivedAt: try row.instant(5))
    }

    package func hasEvidence(_ sha256: [UInt8]) throws(DatabaseError) -> Bool {
        try row("SELECT 1 FROM evidence WHERE sha256 = $1", [.value(sha256)]) != nil
    }

    /// Whether an app's submission of this evidence proved something before.
    package func wasProven(_ sha256: [UInt8], to app: AppID) throws(DatabaseError) -> Bool {
        try row(
            """
            SELECT 1 FROM submissions
            WHERE evidence = $1 AND app = $2 AND environment IS NOT NULL
            AND status <> 'rejected' LIMIT 1
            """, [.value(sha256), .value(app)]
        ) != nil
    }

    /// How many earlier submissions brought this evidence, counted up to `limit`.
    package func submissionCount(
        ofEvidence sha256: [UInt8], to app: AppID, limit: Int64
    ) throws(DatabaseError) -> Int64 {
        try row(
            """
            SELECT COUNT(*) FROM
            (SELECT 1 FROM submissions WHERE evidence = $1 AND app = $2 LIMIT $3) AS earlier
            """,
            [.value(sha256), .value(app), .value(limit)]
        )?.integer(0) ?? 0
    }
}

extension WriteTransaction {
    /// Keeps evidence once. What was kept in part, or unverified, becomes whole or verified when such
    /// a copy arrives; nothing is ever taken away.
    package func keep(_ evidence: EvidenceRecord) throws(DatabaseError) {
        try execute(
            """
            INSERT INTO evidence
            (sha256, kind, encoding, bytes, byte_count, is_verified, received_at)
            VALUES ($1, $2, $3, $4, $5, $6, $7)
            ON CONFLICT (sha256) DO UPDATE SET
            encoding = excluded.encoding, bytes = excluded.bytes, kind = excluded.kind,
            is_verified = excluded.is_verified
            WHERE evidence.encoding > excluded.encoding
            OR (evidence.encoding = excluded.encoding
                AND evidence.is_verified < excluded.is_verified)
            """,
            [
                .value(evidence.sha256), .value(evidence.kind), .value(evidence.encoding.rawValue),
                .value(evidence.bytes), .value(evidence.byteCount), .value(evidence.isVerified),
                .value(evidence.receivedAt),
            ])
    }

    /// Counts refused bytes of a day and returns the sum so far, these included.
    package func countRefusedBytes(
        _ app: AppID, day: Int64, address: String, _ byteCount: Int64
    ) throws(DatabaseError) -> Int64 {
        let row = try row(
            """
            INSERT INTO refused_evidence_usage (app, day, address, byte_count)
            VALUES ($1, $2, $3, $4)
            ON CONFLICT (app, day, address)
            DO UPDATE SET byte_count = refused_evidence_usage.byte_count + excluded.byte_count
            RETURNING byte_count
            """,
            [.value(app), .value(day), .value(address), .value(byteCount)])
        return try row?.integer(0) ?? byteCount
    }
}
