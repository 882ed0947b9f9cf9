// SPDX-License-Identifier: Apache-2.0

package import CounterfoilCore
import CounterfoilDatabase
package import CounterfoilStore

/// A transfer as a statement shows it.
package struct StatementLine: Sendable {
    package let transfer: TransferRecord

    /// The lot that it made, if any.
    package let lot: LotRecord?

    /// The lots that it took from, or gave back to (negative).
    package let uses: [LotUse]
    package let place: EntryPlace
}

extension Engine {
    /// A customer's transfers older than a place, the newest first, with those of customers who were merged
    /// into it.
    ///
    /// - Parameter unit: The only unit, if not nil.
    /// - Returns: nil for a customer that nobody has named yet.
    package func statement(
        of id: CustomerID, _ app: AppID, in environment: AppStoreEnvironment, unit: UnitID?,
        before place: EntryPlace?, limit: Int64
    ) async throws -> [StatementLine]? {
        try await database.read { transaction in
            guard let key = try transaction.customerKey(app, id) else { return nil }
            // A transfer between two accounts of the customer has two entries.
            let entries = try transaction.entries(
                app, environment, of: try transaction.allKeys(of: key), unit: unit,
                before: place ?? .newest,
                limit: 2 * min(limit, Limits.pageSize))
            var lines: [StatementLine] = []
            for entry in entries {
                if lines.last?.transfer.transferID == entry.place.transferID {
                    lines[lines.count - 1] = lines[lines.count - 1].ending(at: entry.place)
                    continue
                }
                guard lines.count < Int(limit) else { break }
                lines.append(try StatementLine(entry.place, in: transaction))
            }
            return lines
        }
    }

    /// A customer's entries older than a place, the newest first; nil for a customer that nobody has
    /// named yet.
    package func entries(
        of id: CustomerID, _ app: AppID, in environment: AppStoreEnvironment, unit: UnitID?,
        before place: EntryPlace?, limit: Int64
    ) async throws -> [EntryRecord]? {
        try await database.read { transaction in
            guard let key = try transaction.customerKey(app, id) else { return nil }
            return try transaction.entries(
                app, environment, of: try transaction.allKeys(of: key), unit: unit,
                before: place ?? .newest,
                limit: min(limit, Limits.pageSize))
        }
    }

    /// A customer's open holds, the oldest first.
    package func openHolds(
        of id: CustomerID, _ app: AppID, in environment: AppStoreEnvironment
    ) async throws -> [HoldRecord]? {
        try await database.read { transaction in
            guard let key = try transaction.customerKey(app, id) else { return nil }
            return try transaction.openHolds(
                app, environment, of: key, limit: Limits.shownHolds)
        }
    }
}

extension StatementLine {
    fileprivate init(_ place: EntryPlace, in transaction: any ReadTransaction) throws {
        guard let transfer = try transaction.transfer(place.transferID) else {
            throw DatabaseError(.unexpectedRowCount, "an entry has no transfer with two sides")
        }
        self.transfer = transfer
        self.place = place
        uses = try transaction.lotUses(by: place.transferID)
        let account = [transfer.to, transfer.from].first { $0.kind.hasLots }
        lot = try account.flatMap { try transaction.lot(transfer.transferID, of: $0) }
    }

    /// The same line, behind another entry of its transfer.
    fileprivate func ending(at place: EntryPlace) -> StatementLine {
        StatementLine(transfer: transfer, lot: lot, uses: uses, place: place)
    }
}
