// SPDX-License-Identifier: Apache-2.0

package import CounterfoilCore
package import CounterfoilDatabase

private let columns: SQL = """
    order_id, app, customer_key, environment, product_id, quantity, storefront, account_token,
    price_milli, currency, context, goods, catalogue_version, ticket_digest, state, closed_reason,
    revision, open_until, paid_by, created_at, updated_at
    """

private let selectOne: SQL =
    "SELECT " + columns + """
         FROM orders WHERE order_id = $1 AND app = $2
        """

private let selectOpen: SQL =
    "SELECT " + columns + """
         FROM orders WHERE customer_key = $1 AND state IN ('open', 'pending')
        ORDER BY created_at, order_id LIMIT $2
        """

private let insertOne: SQL =
    "INSERT INTO orders (" + columns + """
        ) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18,
        $19, $20, $21)
        """

extension ReadTransaction {
    package func order(_ app: AppID, id: UniqueID) throws(DatabaseError) -> OrderRecord? {
        try row(selectOne, [.value(id), .value(app)])
            .map { row throws(DatabaseError) in try OrderRecord(row) }
    }

    /// Orders of a customer that still expect a payment, the oldest first.
    package func openOrders(
        of customer: UniqueID, limit: Int64
    ) throws(DatabaseError) -> [OrderRecord] {
        try rows(selectOpen, [.value(customer), .value(limit)])
            .map { row throws(DatabaseError) in try OrderRecord(row) }
    }

    /// How many orders of whoever the customer is now expect a payment, also those that were opened again
    /// after their customer was merged.
    package func openOrderCount(of customer: UniqueID) throws(DatabaseError) -> Int64 {
        var count: Int64 = 0
        for key in try allKeys(of: try current(customer)) {
            count +=
                try row(
                    """
                    SELECT COUNT(*) FROM orders
                    WHERE customer_key = $1 AND state IN ('open', 'pending')
                    """, [.value(key)]
                )?.integer(0) ?? 0
        }
        return count
    }

    /// Orders of a customer for a product that nobody has paid and that were open in a span of time,
    /// the oldest first.
    ///
    /// - Parameters:
    ///   - keys: All that stand for the customer.
    ///   - span: The moment of a purchase, with what two clocks may differ by.
    package func unpaidOrders(
        of keys: [UniqueID], for product: ProductID, openIn span: ClosedRange<Instant>,
        limit: Int64
    ) throws(DatabaseError) -> [UniqueID] {
        var found: [(createdAt: Instant, id: UniqueID)] = []
        for key in keys {
            found += try rows(
                """
                SELECT created_at, order_id FROM orders
                WHERE customer_key = $1 AND product_id = $2 AND paid_by IS NULL
                AND open_until >= $3 AND created_at <= $4 ORDER BY created_at, order_id LIMIT $5
                """,
                [
                    .value(key), .value(product), .value(span.lowerBound),
                    .value(span.upperBound), .value(limit),
                ]
            ).map { row throws(DatabaseError) in (try row.instant(0), try row.uniqueID(1)) }
        }
        return found.sorted { ($0.createdAt, $0.id) < ($1.createdAt, $1.id) }
            .prefix(Int(limit)).map(\.id)
    }

    /// Orders of an app that nothing was heard of until they lapsed.
    package func overdueOrders(
        _ app: AppID, at now: Instant, limit: Int64
    ) throws(DatabaseError) -> [UniqueID] {
        try rows(
            """
            SELECT order_id FROM orders
            WHERE app = $1 AND state IN ('open', 'pending') AND open_until < $2
            ORDER BY open_until LIMIT $3
            """,
            [.value(app), .value(now), .value(limit)]
        ).map { row throws(DatabaseError) in try row.uniqueID(0) }
    }

    /// The sales that were paid on an order in one environment, `limit` at most.
    package func payments(
        on order: UniqueID, in environment: AppStoreEnvironment, limit: Int64
    ) throws(DatabaseError) -> [OrderPayment] {
        try rows(
            """
            SELECT t.sale, (SELECT COUNT(*) FROM transactions r
                WHERE r.app = t.app AND r.environment = t.environment
                AND (r.sale = t.sale OR r.transaction_id = t.transaction_id)
                AND r.revocation_date IS NOT NULL
                AND COALESCE(r.revocation_percentage, 100000) >= 100000), g.goods
            FROM transactions t
            LEFT JOIN grants g ON g.app = t.app AND g.environment = t.environment
            AND g.sale = t.sale AND g.revision = 0
            WHERE t.order_id = $1 AND t.environment = $2
            ORDER BY t.transaction_id LIMIT $3
            """,
            [.value(order), .value(environment), .value(limit)]
        ).map { row throws(DatabaseError) in
            OrderPayment(
                sale: try row.optionalText(0), isRevoked: try row.integer(1) > 0,
                isGranted: try row.optionalText(2) != nil)
        }
    }

    /// The transactions that paid an order, in the order of their ids, `limit` at most.
    package func transactions(
        ofOrder order: UniqueID, limit: Int64
    ) throws(DatabaseError) -> [TransactionID] {
        try rows(
            """
            SELECT transaction_id FROM transactions WHERE order_id = $1
            ORDER BY transaction_id LIMIT $2
            """,
            [.value(order), .value(limit)]
        ).map { row throws(DatabaseError) in try row.identifier(0) }
    }
}

extension WriteTransaction {
    /// The order, nil if the app has none with this id; nobody else changes it before the commit.
    package func lockedOrder(_ app: AppID, id: UniqueID) throws(DatabaseError) -> OrderRecord? {
        try lock(.order(id))
        return try order(app, id: id)
    }

    package func insert(_ order: OrderRecord) throws(DatabaseError) {
        try execute(insertOne, order.values, expecting: .one)
    }

    /// Stores what of an order can change; it is locked.
    package func save(_ order: OrderRecord) throws(DatabaseError) {
        try execute(
            """
            UPDATE orders SET customer_key = $2, environment = $3, state = $4, closed_reason = $5,
            revision = $6, open_until = $7, paid_by = $8, updated_at = $9 WHERE order_id = $1
            """,
            [
                .value(order.orderID), .value(order.customer), .value(order.environment),
                .value(order.state.rawValue), .value(order.closedReason), .value(order.revision),
                .value(order.openUntil), .value(order.paidBy), .value(order.updatedAt),
            ], expecting: .one)
    }
}

// The row and the list of values follow `columns` to the letter.
extension OrderRecord {
    fileprivate init(_ row: Row) throws(DatabaseError) {
        guard let state = OrderState(rawValue: try row.text(14)) else {
            throw DatabaseError(.unexpectedValue, "an order has an unknown state")
        }
        self.init(
            orderID: try row.uniqueID(0), app: try row.identifier(1),
            customer: try row.uniqueID(2), environment: try row.get(3),
            productID: try row.identifier(4), quantity: try row.integer(5),
            storefront: try row.optionalText(6), accountToken: try row.uniqueID(7),
            price: try row.money(8, 9), context: try row.optionalText(10),
            goods: try row.text(11), catalogueVersion: try row.text(12),
            ticketDigest: try row.bytes(13), state: state,
            closedReason: try row.optionalText(15), revision: try row.integer(16),
            openUntil: try row.instant(17), paidBy: try row.optionalIdentifier(18),
            createdAt: try row.instant(19), updatedAt: try row.instant(20))
    }

    fileprivate var values: [DatabaseValue] {
        [
            .value(orderID), .value(app), .value(customer), .value(environment),
            .value(productID), .value(quantity), .value(storefront), .value(accountToken),
            .value(price?.amountMilli), .value(price?.currency), .value(context),
            .value(goods), .value(catalogueVersion), .value(ticketDigest), .value(state.rawValue),
            .value(closedReason), .value(revision), .value(openUntil), .value(paidBy),
            .value(createdAt), .value(updatedAt),
        ]
    }
}

extension Row {
    /// An amount and its currency; nil where there is none.
    fileprivate func money(
        _ amount: ColumnPlace, _ currency: ColumnPlace
    ) throws(DatabaseError) -> Money? {
        guard let amount = try optionalInteger(amount), let currency = try optionalText(currency)
        else { return nil }
        return Money(amountMilli: amount, currency: currency)
    }
}
