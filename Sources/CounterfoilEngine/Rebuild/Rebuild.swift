// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
package import CounterfoilDatabase
import CounterfoilStore

/// Computes once more what follows from transactions, grants and entries, and compares it with what is
/// stored.
///
/// It only reads, page by page, each page in one snapshot that holds both a row and what the row is
/// compared with; so it needs little memory and may run beside servers at work.
package struct Rebuild: Sendable {
    private let database: any Database
    private let pageSize: Int64

    package init(_ database: any Database) {
        self.init(database, pageSize: Limits.rebuildPage)
    }

    /// - Parameter pageSize: How many rows are looked at in one snapshot.
    init(_ database: any Database, pageSize: Int64) {
        self.database = database
        self.pageSize = pageSize
    }

    /// Compares what the ledger alone must keep (promise P4).
    ///
    /// - Throws: As ``run()``.
    package func examineLedger() async throws -> RebuildReport {
        try await report(Self.ledger)
    }

    /// - Throws: ``DatabaseError``; `schemaOlder` or `schemaNewer` if the database was made by another
    ///   version of the program.
    package func run() async throws -> RebuildReport {
        try await report(Self.comparisons + Self.lots)
    }

    private func report(_ comparisons: [Comparison]) async throws -> RebuildReport {
        try await database.checkSchema(Schema.migrations)
        var report = RebuildReport()
        for comparison in comparisons { try await walk(&report, comparison) }
        return report
    }

    /// Adds what one page shows, and returns where it ended; nil behind the last one.
    private typealias Comparison =
        @Sendable (inout RebuildReport, RebuildPage) throws -> PageEnd?

    /// That the entries of a unit add up to zero follows: each of them has its transfer, and each
    /// transfer is one that a grant makes, with two sides.
    private static let comparisons: [Comparison] = [
        { try $0.compareTransactions($1) },
        { try $0.compareSales($1) },
        { try $0.compareGrants($1) },
        { try $0.compareOrders($1) },
        { try $0.compareEntitlements($1) },
        { try $0.compareTransfers($1) },
        { try $0.compareAccounts($1) },
        { try $0.compareEntries($1) },
        { try $0.compareWallets($1) },
        { try $0.compareCustomersOfEvents($1) },
        { try $0.compareEventNumbers($1) },
    ]

    private static let lots: [Comparison] = [
        { try $0.compareSides($1) },
        { try $0.compareLots($1) },
        { try $0.compareBalances($1) },
        { try $0.compareMovements($1) },
    ]

    private static let ledger: [Comparison] =
        [
            { try $0.compareGrants($1) },
            { try $0.compareTransfers($1) },
            { try $0.compareAccounts($1) },
            { try $0.compareEntries($1) },
        ] + lots

    private func walk(_ report: inout RebuildReport, _ comparison: @escaping Comparison)
        async throws
    {
        var end: PageEnd?
        while true {
            let (before, limit, after) = (report, pageSize, end)
            let (next, changed) = try await database.read { transaction in
                var report = before
                let page = RebuildPage(transaction: transaction, after: after, limit: limit)
                let next = try comparison(&report, page)
                return (next, report)
            }
            report = changed
            guard let next else { return }
            end = next
        }
    }
}

/// Which rows of a table are looked at now, and the snapshot in which that is done.
struct RebuildPage {
    let transaction: any ReadTransaction
    let after: PageEnd?
    let limit: Int64
}
