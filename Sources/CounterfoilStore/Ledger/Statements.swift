// SPDX-License-Identifier: Apache-2.0

package import CounterfoilCore
package import CounterfoilDatabase

/// Where an entry stands among a customer's: they go by time, and by ids where that is the same.
package struct EntryPlace: Hashable, Sendable {
    package let createdAt: Instant
    package let transferID: UniqueID
    package let accountID: UniqueID

    package init(createdAt: Instant, transferID: UniqueID, accountID: UniqueID) {
        self.createdAt = createdAt
        self.transferID = transferID
        self.accountID = accountID
    }

    /// Before every other one.
    package static let newest = EntryPlace(
        createdAt: Instant(millisecondsSinceEpoch: .max), transferID: .highest,
        accountID: .highest)
}

extension EntryPlace: Comparable {
    package static func < (lhs: EntryPlace, rhs: EntryPlace) -> Bool {
        if lhs.createdAt != rhs.createdAt { return lhs.createdAt < rhs.createdAt }
        if lhs.transferID != rhs.transferID {
            return lhs.transferID.bytes.lexicographicallyPrecedes(rhs.transferID.bytes)
        }
        return lhs.accountID.bytes.lexicographicallyPrecedes(rhs.accountID.bytes)
    }
}

extension UniqueID {
    /// Sixteen bytes of 255, which no id of ours has.
    fileprivate static let highest: UniqueID = {
        guard let id = UniqueID(bytes: Array(repeating: UInt8.max, count: 16)) else {
            preconditionFailure("an id has sixteen bytes")
        }
        return id
    }()
}

/// One side of a transfer, beside its account.
package struct EntryRecord: Hashable, Sendable {
    package let place: EntryPlace
    package let unit: UnitID
    package let account: AccountKind
    package let amount: Int64
    package let kind: String
}

extension ReadTransaction {
    /// The customer's entries older than a place, the newest first.
    ///
    /// Each account is read by itself, along its index; so a page costs the same however long the
    /// customer's history is.
    ///
    /// - Parameters:
    ///   - keys: All that stand for the customer.
    ///   - unit: The only unit, if not nil.
    package func entries(
        _ app: AppID, _ environment: AppStoreEnvironment, of keys: [UniqueID], unit: UnitID?,
        before place: EntryPlace, limit: Int64
    ) throws(DatabaseError) -> [EntryRecord] {
        var newest: [EntryRecord] = []
        var accounts: [Row] = []
        for key in keys {
            accounts += try rows(
                """
                SELECT account_id, unit, kind FROM accounts
                WHERE customer_key = $1 AND app = $2 AND environment = $3 ORDER BY account_id
                """, [.value(key), .value(app), .value(environment)])
        }
        for account in accounts {
            let (id, kind) = (try account.uniqueID(0), try AccountKind(account, 2))
            let own: UnitID = try account.identifier(1)
            guard unit == nil || unit == own else { continue }
            let rows = try rows(
                """
                SELECT e.created_at, e.transfer_id, e.amount, t.kind FROM entries e
                JOIN transfers t ON t.transfer_id = e.transfer_id
                WHERE e.account_id = $1 AND e.created_at IS NOT NULL
                AND (e.created_at, e.transfer_id, e.account_id) < ($2, $3, $4)
                ORDER BY e.created_at DESC, e.transfer_id DESC LIMIT $5
                """,
                [
                    .value(id), .value(place.createdAt), .value(place.transferID),
                    .value(place.accountID), .value(limit),
                ])
            let entries = try rows.map { row throws(DatabaseError) in
                EntryRecord(
                    place: EntryPlace(
                        createdAt: try row.instant(0), transferID: try row.uniqueID(1),
                        accountID: id),
                    unit: own, account: kind, amount: try row.integer(2), kind: try row.text(3))
            }
            newest = Array(
                (newest + entries).sorted { $0.place > $1.place }.prefix(Int(limit)))
        }
        return newest
    }
}
