// SPDX-License-Identifier: Apache-2.0

package import CounterfoilCore
import CounterfoilCrypto
package import CounterfoilDatabase

extension ReadTransaction {
    /// Whether the secret with this digest was issued for the id.
    ///
    /// An unknown id, one without a secret and one with another secret cost the same.
    package func hasSecret(
        _ app: AppID, _ id: CustomerID, _ digest: [UInt8]
    ) throws(DatabaseError) -> Bool {
        let row = try row(
            "SELECT secret_digest FROM aliases WHERE app = $1 AND customer_id = $2",
            [.value(app), .value(id)])
        // No SHA-256 is known to be all zeros.
        let stored = try row?.optionalBytes(0) ?? [UInt8](repeating: 0, count: 32)
        return constantTimeEqual(stored, digest)
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
