// SPDX-License-Identifier: Apache-2.0

package import CounterfoilCore
package import CounterfoilDatabase

extension ReadTransaction {
    /// The key of the customer that the studio calls `id`, or nil; of a merged one that of the customer
    /// it was merged into.
    package func customerKey(_ app: AppID, _ id: CustomerID) throws(DatabaseError) -> UniqueID? {
        let row = try row(
            """
            SELECT a.customer_key, c.merged_into FROM aliases a
            JOIN customers c ON c.customer_key = a.customer_key
            WHERE a.app = $1 AND a.customer_id = $2
            """,
            [.value(app), .value(id)])
        guard let row else { return nil }
        guard let target = try row.optionalUniqueID(1) else { return try row.uniqueID(0) }
        return try current(target)
    }

    /// The studio's id of a customer as it was before any merge, or nil once it is erased.
    package func customerID(_ key: UniqueID) throws(DatabaseError) -> CustomerID? {
        try row(
            """
            SELECT customer_id FROM aliases WHERE customer_key = $1
            ORDER BY created_at, customer_id LIMIT 1
            """,
            [.value(key)]
        )?.identifier(0)
    }

    /// The customer that an account token names, or nil for a token that nobody registered.
    package func customerKey(
        _ app: AppID, named token: UniqueID
    ) throws(DatabaseError) -> UniqueID? {
        try row(
            "SELECT customer_key FROM account_tokens WHERE app = $1 AND token = $2",
            [.value(app), .value(token)]
        )?.uniqueID(0)
    }

    /// The customer that an account token names, and the order if it names one; nil for a token that
    /// nobody registered.
    package func tokenHolder(
        _ app: AppID, _ token: UniqueID
    ) throws(DatabaseError) -> (customer: UniqueID, order: UniqueID?)? {
        let row = try row(
            "SELECT customer_key, order_id FROM account_tokens WHERE app = $1 AND token = $2",
            [.value(app), .value(token)])
        guard let row else { return nil }
        return (try row.uniqueID(0), try row.optionalUniqueID(1))
    }

    /// The customer's first token that names no order, or nil.
    package func accountToken(of customer: UniqueID) throws(DatabaseError) -> UniqueID? {
        try row(
            """
            SELECT token FROM account_tokens WHERE customer_key = $1 AND order_id IS NULL
            ORDER BY created_at, token LIMIT 1
            """, [.value(customer)]
        )?.uniqueID(0)
    }

    /// How many tokens the customer has that name no order.
    package func tokenCount(_ customer: UniqueID) throws(DatabaseError) -> Int64 {
        try row(
            "SELECT COUNT(*) FROM account_tokens WHERE customer_key = $1 AND order_id IS NULL",
            [.value(customer)]
        )?.integer(0) ?? 0
    }

    /// The number of the customer's last event in an environment; 0 before the first.
    package func sequence(
        _ app: AppID, _ environment: AppStoreEnvironment, _ customer: UniqueID
    ) throws(DatabaseError) -> Int64 {
        try row(
            """
            SELECT sequence FROM wallets
            WHERE app = $1 AND environment = $2 AND customer_key = $3
            """,
            [.value(app), .value(environment), .value(customer)]
        )?.integer(0) ?? 0
    }
}

extension WriteTransaction {
    /// The key of the customer that the studio calls `id`; makes the customer with `freshKey` if it
    /// is not known yet.
    package func ensureCustomer(
        _ app: AppID, _ id: CustomerID, freshKey: UniqueID, at now: Instant
    ) throws(DatabaseError) -> UniqueID {
        if let key = try customerKey(app, id) { return key }
        let inserted = try change(
            """
            INSERT INTO aliases (app, customer_id, customer_key, created_at)
            VALUES ($1, $2, $3, $4) ON CONFLICT (app, customer_id) DO NOTHING
            """,
            [.value(app), .value(id), .value(freshKey), .value(now)])
        guard inserted == 1 else {
            guard let key = try customerKey(app, id) else {
                throw DatabaseError(.unexpectedRowCount, "a customer's alias vanished")
            }
            return key
        }
        try execute(
            "INSERT INTO customers (customer_key, app, created_at) VALUES ($1, $2, $3)",
            [.value(freshKey), .value(app), .value(now)], expecting: .one)
        return freshKey
    }

    /// Registers a token; whose it is afterwards tells whether it was free.
    ///
    /// - Parameter order: The order that it names beside the customer.
    package func registerToken(
        _ app: AppID, _ token: UniqueID, of customer: UniqueID, order: UniqueID? = nil,
        at now: Instant
    ) throws(DatabaseError) -> UniqueID? {
        try execute(
            """
            INSERT INTO account_tokens (app, token, customer_key, created_at, order_id)
            VALUES ($1, $2, $3, $4, $5) ON CONFLICT (app, token) DO NOTHING
            """,
            [.value(app), .value(token), .value(customer), .value(now), .value(order)])
        return try customerKey(app, named: token)
    }

    /// Makes the customer's wallet in an environment if need be, and locks it.
    package func lockWallet(
        _ app: AppID, _ environment: AppStoreEnvironment, _ customer: UniqueID
    ) throws(DatabaseError) {
        try execute(
            """
            INSERT INTO wallets (app, environment, customer_key, sequence) VALUES ($1, $2, $3, 0)
            ON CONFLICT (app, environment, customer_key) DO NOTHING
            """,
            [.value(app), .value(environment), .value(customer)])
        try lock(LockKey(Schema.wallets, [.value(app), .value(environment), .value(customer)]))
    }

    /// Takes the next number of the customer's events; makes the wallet if need be, and locks it.
    package func nextSequence(
        _ app: AppID, _ environment: AppStoreEnvironment, _ customer: UniqueID
    ) throws(DatabaseError) -> Int64 {
        let row = try row(
            """
            INSERT INTO wallets (app, environment, customer_key, sequence) VALUES ($1, $2, $3, 1)
            ON CONFLICT (app, environment, customer_key)
            DO UPDATE SET sequence = wallets.sequence + 1
            WHERE wallets.is_merged IS NULL OR wallets.is_merged = 0 RETURNING sequence
            """,
            [.value(app), .value(environment), .value(customer)])
        guard let row else {
            // Whoever tries again finds the customer it was merged into.
            throw DatabaseError(.busy, "the customer was merged into another just now")
        }
        return try row.integer(0)
    }
}
