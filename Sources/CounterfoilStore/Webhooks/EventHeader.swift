// SPDX-License-Identifier: Apache-2.0

package import CounterfoilCore
package import CounterfoilDatabase

/// What of an event decides where it is sent.
package struct EventHeader: Hashable, Sendable {
    package let number: Int64
    package let eventID: UniqueID
    package let environment: AppStoreEnvironment
    package let customer: UniqueID?
    package let type: String
    package let createdAt: Instant
}

private let columns: SQL = "number, event_id, environment, customer_key, type, created_at"

private let selectPage: SQL =
    "SELECT " + columns + " FROM events WHERE app = $1 AND number > $2 ORDER BY number LIMIT $3"

private let selectOfCustomer: SQL =
    "SELECT " + columns + """
         FROM events WHERE app = $1 AND environment = $2 AND customer_key = $3
        AND number IS NOT NULL AND number > $4 ORDER BY number LIMIT $5
        """

private let selectOne: SQL =
    "SELECT " + columns + " FROM events WHERE event_id = $2 AND app = $1 AND number IS NOT NULL"

private let selectFirst: SQL =
    "SELECT " + columns + " FROM events WHERE app = $1 AND number >= $2 ORDER BY number LIMIT 1"

extension ReadTransaction {
    /// Published events of an app behind a number, in its order.
    package func eventHeaders(
        _ app: AppID, after number: Int64, limit: Int64
    ) throws(DatabaseError) -> [EventHeader] {
        try rows(selectPage, [.value(app), .value(number), .value(limit)])
            .map { row throws(DatabaseError) in try EventHeader(row) }
    }

    /// Published events of a customer behind a number, in their order.
    package func eventHeaders(
        _ app: AppID, _ environment: AppStoreEnvironment, of customer: UniqueID,
        after number: Int64, limit: Int64
    ) throws(DatabaseError) -> [EventHeader] {
        try rows(
            selectOfCustomer,
            [.value(app), .value(environment), .value(customer), .value(number), .value(limit)]
        ).map { row throws(DatabaseError) in try EventHeader(row) }
    }

    /// A published event of the app; nil if there is none with this id.
    package func eventHeader(
        _ app: AppID, _ id: UniqueID
    ) throws(DatabaseError) -> EventHeader? {
        try row(selectOne, [.value(app), .value(id)])
            .map { row throws(DatabaseError) in try EventHeader(row) }
    }

    /// A number before every event that was published at the moment or later.
    ///
    /// Numbers ascend in time but for the clocks of servers that disagree; `slack` is more than they do.
    package func eventNumber(
        _ app: AppID, before moment: Instant, slack: Duration
    ) throws(DatabaseError) -> Int64 {
        var (low, high): (Int64, Int64) = (0, try newestEventNumber(app))
        // Everything up to `low` is older, and what comes behind `high` is not.
        while low < high {
            let middle = low + (high - low + 1) / 2
            let found = try row(selectFirst, [.value(app), .value(middle)])
                .map { row throws(DatabaseError) in try EventHeader(row) }
            if let found, found.createdAt < moment - slack {
                low = middle
            } else {
                high = middle - 1
            }
        }
        return low
    }
}

extension EventHeader {
    fileprivate init(_ row: Row) throws(DatabaseError) {
        number = try row.integer(0)
        eventID = try row.uniqueID(1)
        environment = try row.get(2)
        customer = try row.optionalUniqueID(3)
        type = try row.text(4)
        createdAt = try row.instant(5)
    }
}
