// SPDX-License-Identifier: Apache-2.0

package import CounterfoilCore
import CounterfoilCrypto
package import CounterfoilDatabase

/// What somebody is who shows a secret for a customer's id.
package enum CustomerSecretStanding: Sendable {
    /// The customer.
    case valid

    /// The customer once, who has become known since: merged into another.
    case merged

    /// Nobody; the id may be unknown, or without a secret.
    case invalid
}

extension ReadTransaction {
    /// Whether the secret with this digest was issued for the id, and still opens something.
    ///
    /// An unknown id, one without a secret and one with another secret cost the same.
    package func standing(
        ofSecret digest: [UInt8], _ app: AppID, _ id: CustomerID
    ) throws(DatabaseError) -> CustomerSecretStanding {
        let row = try row(
            """
            SELECT a.secret_digest, c.merged_into FROM aliases a
            JOIN customers c ON c.customer_key = a.customer_key
            WHERE a.app = $1 AND a.customer_id = $2
            """, [.value(app), .value(id)])
        // No SHA-256 is known to be all zeros.
        let stored = try row?.optionalBytes(0) ?? [UInt8](repeating: 0, count: 32)
        guard constantTimeEqual(stored, digest) else { return .invalid }
        return try row?.optionalUniqueID(1) == nil ? .valid : .merged
    }
}

extension WriteTransaction {
    /// Makes a customer whom the studio does not know; the id must be fresh.
    package func insertAnonymousCustomer(
        _ app: AppID, _ id: CustomerID, key: UniqueID, secretDigest: [UInt8], at now: Instant
    ) throws(DatabaseError) {
        try execute(
            """
            INSERT INTO aliases (app, customer_id, customer_key, created_at, secret_digest)
            VALUES ($1, $2, $3, $4, $5)
            """,
            [.value(app), .value(id), .value(key), .value(now), .value(secretDigest)],
            expecting: .one)
        try execute(
            "INSERT INTO customers (customer_key, app, created_at) VALUES ($1, $2, $3)",
            [.value(key), .value(app), .value(now)], expecting: .one)
    }
}
