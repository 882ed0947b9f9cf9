// SPDX-License-Identifier: Apache-2.0

package import CounterfoilCore
package import CounterfoilDatabase

/// One piece of evidence as it is kept.
package struct EvidenceRecord: Sendable {
    package var sha256: [UInt8]
    package var kind: String
    package var packed: PackedEvidence

    /// The length of what came, not of what is stored.
    package var byteCount: Int64
    package var isVerified: Bool
    package var receivedAt: Instant

    package init(
        sha256: [UInt8], kind: String, packed: PackedEvidence, byteCount: Int64, isVerified: Bool,
        receivedAt: Instant
    ) {
        self.sha256 = sha256
        self.kind = kind
        self.packed = packed
        self.byteCount = byteCount
        self.isVerified = isVerified
        self.receivedAt = receivedAt
    }

    /// The evidence as it came; call it outside of the transaction that found the record.
    ///
    /// - Throws: ``DatabaseError`` with `corrupt` when what is stored is damaged, with
    ///   `unexpectedValue` when only the beginning was kept.
    package func original() throws(DatabaseError) -> [UInt8] {
        try packed.original(sha256: sha256, byteCount: byteCount)
    }
}

extension ReadTransaction {
    package func evidence(_ sha256: [UInt8]) throws(DatabaseError) -> EvidenceRecord? {
        let row = try row(
            """
            SELECT kind, encoding, evidence.bytes, byte_count, is_verified, received_at,
            chain, certificate_chains.bytes
            FROM evidence LEFT JOIN certificate_chains ON certificate_chains.sha256 = chain
            WHERE evidence.sha256 = $1
            """, [.value(sha256)])
        guard let row else { return nil }
        guard let encoding = PackedEvidence.Encoding(rawValue: try row.integer(1)) else {
            throw DatabaseError(.unexpectedValue, "evidence has an unknown encoding")
        }
        var chain: CertificateChain?
        if let digest = try row.optionalBytes(6) {
            chain = CertificateChain(sha256: digest, bytes: try row.bytes(7))
        }
        return EvidenceRecord(
            sha256: sha256, kind: try row.text(0),
            packed: PackedEvidence(encoding: encoding, bytes: try row.bytes(2), chain: chain),
            byteCount: try row.integer(3), isVerified: try row.boolean(4),
            receivedAt: try row.instant(5))
    }

    package func hasEvidence(_ sha256: [UInt8]) throws(DatabaseError) -> Bool {
        try row("SELECT 1 FROM evidence WHERE sha256 = $1", [.value(sha256)]) != nil
    }

    /// Whether ``WriteTransaction/keep(_:)`` would change nothing, since the evidence is kept whole.
    package func isKept(
        _ sha256: [UInt8], asVerified isVerified: Bool
    ) throws(DatabaseError) -> Bool {
        let row = try row(
            "SELECT encoding, is_verified FROM evidence WHERE sha256 = $1", [.value(sha256)])
        guard let row, try row.integer(0) != PackedEvidence.Encoding.beginning.rawValue
        else { return false }
        return isVerified ? try row.boolean(1) : true
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

    /// Whether a customer handed this evidence in before and its environment was known.
    package func wasPresented(
        _ sha256: [UInt8], by customer: UniqueID
    ) throws(DatabaseError) -> Bool {
        try row(
            """
            SELECT 1 FROM submissions
            WHERE evidence = $1 AND customer_key = $2 AND environment IS NOT NULL LIMIT 1
            """, [.value(sha256), .value(customer)]
        ) != nil
    }

    /// The customers of an app who handed this evidence in, the first first, `limit` at most.
    ///
    /// - Parameter reason: Those to whom nothing else was answered are left out.
    package func presenters(
        ofEvidence sha256: [UInt8], in app: AppID, notRefusedAs reason: String, limit: Int64
    ) throws(DatabaseError) -> [UniqueID] {
        try rows(
            """
            SELECT customer_key FROM submissions
            WHERE evidence = $1 AND app = $2 AND customer_key IS NOT NULL
            AND (reason IS NULL OR reason <> $3)
            GROUP BY customer_key ORDER BY MIN(received_at), customer_key LIMIT $4
            """, [.value(sha256), .value(app), .value(reason), .value(limit)]
        ).map { row throws(DatabaseError) in try row.uniqueID(0) }
    }

    /// How many earlier submissions of this evidence by one customer left the client waiting,
    /// counted up to `limit`.
    package func keptSubmissionCount(
        ofEvidence sha256: [UInt8], by customer: UniqueID, limit: Int64
    ) throws(DatabaseError) -> Int64 {
        try row(
            """
            SELECT COUNT(*) FROM
            (SELECT 1 FROM submissions WHERE evidence = $1 AND customer_key = $2
            AND client = 'keep' LIMIT $3) AS earlier
            """,
            [.value(sha256), .value(customer), .value(limit)]
        )?.integer(0) ?? 0
    }
}

extension WriteTransaction {
    /// Keeps evidence once. What was kept in part, or unverified, becomes whole or verified when such
    /// a copy arrives; nothing is ever taken away.
    package func keep(_ evidence: EvidenceRecord) throws(DatabaseError) {
        if let chain = evidence.packed.chain {
            try execute(
                """
                INSERT INTO certificate_chains (sha256, bytes) VALUES ($1, $2)
                ON CONFLICT (sha256) DO NOTHING
                """, [.value(chain.sha256), .value(chain.bytes)])
        }
        let partial = PackedEvidence.Encoding.beginning.rawValue
        try execute(
            """
            INSERT INTO evidence
            (sha256, kind, encoding, bytes, chain, byte_count, is_verified, received_at)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
            ON CONFLICT (sha256) DO UPDATE SET
            encoding = excluded.encoding, bytes = excluded.bytes, chain = excluded.chain,
            kind = excluded.kind, is_verified = excluded.is_verified
            WHERE excluded.encoding <> $9
            AND (evidence.encoding = $9 OR evidence.is_verified < excluded.is_verified)
            """,
            [
                .value(evidence.sha256), .value(evidence.kind),
                .value(evidence.packed.encoding.rawValue), .value(evidence.packed.bytes),
                .value(evidence.packed.chain?.sha256), .value(evidence.byteCount),
                .value(evidence.isVerified), .value(evidence.receivedAt), .value(partial),
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
