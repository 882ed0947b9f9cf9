// SPDX-License-Identifier: Apache-2.0

package import CounterfoilCore
package import CounterfoilDatabase

/// A key that lets a server in; the key itself is nowhere, only its SHA-256.
package struct APIKeyRecord: Hashable, Sendable {
    package let digest: [UInt8]
    package let keyID: UniqueID
    package let app: AppID

    /// What it opens: `secret`, everything of its app.
    package let kind: String
    package let label: String
    package let createdAt: Instant
    package var revokedAt: Instant?

    package init(
        digest: [UInt8], keyID: UniqueID, app: AppID, kind: String, label: String,
        createdAt: Instant, revokedAt: Instant?
    ) {
        self.digest = digest
        self.keyID = keyID
        self.app = app
        self.kind = kind
        self.label = label
        self.createdAt = createdAt
        self.revokedAt = revokedAt
    }
}

private let columns: SQL = "key_digest, key_id, app, kind, label, created_at, revoked_at"

private let selectByDigest: SQL =
    "SELECT " + columns + " FROM api_keys WHERE key_digest = $1"

private let selectOfApp: SQL =
    "SELECT " + columns + " FROM api_keys WHERE app = $1 ORDER BY created_at, key_id"

extension ReadTransaction {
    /// The key with this digest, also where it is revoked.
    package func apiKey(digest: [UInt8]) throws(DatabaseError) -> APIKeyRecord? {
        try row(selectByDigest, [.value(digest)])
            .map { row throws(DatabaseError) in try APIKeyRecord(row) }
    }

    /// All keys of an app, revoked ones too, oldest first.
    package func apiKeys(_ app: AppID) throws(DatabaseError) -> [APIKeyRecord] {
        try rows(selectOfApp, [.value(app)])
            .map { row throws(DatabaseError) in try APIKeyRecord(row) }
    }
}

extension WriteTransaction {
    package func insert(_ key: APIKeyRecord) throws(DatabaseError) {
        try execute(
            """
            INSERT INTO api_keys (key_digest, key_id, app, kind, label, created_at, revoked_at)
            VALUES ($1, $2, $3, $4, $5, $6, $7)
            """,
            [
                .value(key.digest), .value(key.keyID), .value(key.app), .value(key.kind),
                .value(key.label), .value(key.createdAt), .value(key.revokedAt),
            ], expecting: .one)
    }

    /// Revokes a key; false if there is none with this id, or if it was revoked before.
    package func revokeAPIKey(
        _ app: AppID, id: UniqueID, at now: Instant
    ) throws(DatabaseError) -> Bool {
        try change(
            """
            UPDATE api_keys SET revoked_at = $3
            WHERE app = $1 AND key_id = $2 AND revoked_at IS NULL
            """,
            [.value(app), .value(id), .value(now)]) == 1
    }
}

extension APIKeyRecord {
    fileprivate init(_ row: Row) throws(DatabaseError) {
        self.init(
            digest: try row.bytes(0), keyID: try row.uniqueID(1), app: try row.identifier(2),
            kind: try row.text(3), label: try row.text(4), createdAt: try row.instant(5),
            revokedAt: try row.optionalInstant(6))
    }
}
