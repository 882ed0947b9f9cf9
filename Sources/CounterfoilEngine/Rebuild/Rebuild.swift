// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
package import CounterfoilDatabase
import CounterfoilStore

/// Computes once more what is derived from facts and grants, and compares it with what is stored.
///
/// It only reads, page by page, each page in one snapshot that holds both a row and what the row is
/// derived from; so it needs little memory and may run beside servers at work.
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

    /// - Throws: ``DatabaseError``; `schemaOlder` or `schemaNewer` if the database was made by another
    ///   version of the program.
    package func run() async throws -> RebuildReport {
        try await database.checkSchema(Schema.migrations)
        var report = RebuildReport()
        try await compareGrants(&report)
        try await compareEntitlements(&report)
        try await walk(&report) { transaction, after, limit, page in
            let (count, end, orphans) = try transaction.transfersWithoutGrant(
                after: after, limit: limit)
            page.count(.transfers, count)
            for id in orphans {
                page.add(
                    .init("transfers", id, expected: nil, stored: "a transfer without a grant"))
            }
            return end
        }
        try await walk(&report) { transaction, after, limit, page in
            let (end, sums) = try transaction.accountSums(after: after, limit: limit)
            page.count(.accounts, sums.count)
            page.compare("accounts", "balance", sums)
            return end
        }
        try await walk(&report) { transaction, after, limit, page in
            let (end, sums) = try transaction.walletSequences(after: after, limit: limit)
            page.count(.wallets, sums.count)
            page.compare("wallets", "sequence", sums)
            return end
        }
        return report
    }

    /// Goes through a table; the closure handles one page and returns where it ended.
    private func walk(
        _ report: inout RebuildReport,
        _ page:
            @escaping @Sendable (
                any ReadTransaction, PageEnd?, Int64, inout RebuildReport
            ) throws -> PageEnd?
    ) async throws {
        var end: PageEnd?
        while true {
            let (before, limit, after) = (report, pageSize, end)
            let (next, changed) = try await database.read { transaction in
                var report = before
                let next = try page(transaction, after, limit, &report)
                return (next, report)
            }
            report = changed
            guard let next else { return }
            end = next
        }
    }

    // MARK: What each grant gave

    private func compareGrants(_ report: inout RebuildReport) async throws {
        var last: GrantRecord?
        while true {
            let (before, limit, after) = (report, pageSize, last)
            let (next, changed) = try await database.read { transaction in
                var report = before
                let grants = try transaction.grants(after: after, limit: limit)
                report.count(.grants, grants.count)
                for grant in grants { try report.compare(grant, in: transaction) }
                return (grants.last, report)
            }
            report = changed
            guard let next else { return }
            last = next
        }
    }

    // MARK: How each customer's rights lie in time

    private func compareEntitlements(_ report: inout RebuildReport) async throws {
        try await walk(&report) { transaction, after, limit, page in
            let customers = try transaction.customersWithPeriods(after: after, limit: limit)
            page.count(.entitledCustomers, customers.count)
            for (app, environment, customer, _) in customers {
                let periods = try transaction.entitlementPeriods(app, environment, customer)
                try page.compare(periods, in: transaction)
            }
            return customers.last?.end
        }
    }
}

extension RebuildReport {
    fileprivate mutating func compare(_ table: String, _ column: String, _ sums: [StoredSum]) {
        for sum in sums where sum.stored != sum.computed {
            add(
                Difference(
                    table, sum.key, expected: [column: .integer(sum.computed)],
                    stored: [column: .integer(sum.stored)]))
        }
    }

    /// Compares the transfers and the rights of one grant; where the rights lie in time is another
    /// question.
    fileprivate mutating func compare(
        _ grant: GrantRecord, in transaction: any ReadTransaction
    ) throws {
        guard let goods = grant.frozenGoods else {
            let damaged = JSONValue.string(grant.goods ?? "")
            return add(
                Difference("grants", grant.sale.words, expected: "readable goods", stored: damaged))
        }
        let record = try transaction.transaction(
            grant.sale.app, grant.sale.environment, grant.transactionID)
        var transfers: [StoredTransfer] = []
        var periods: [EntitlementPeriodRecord] = []
        if let customer = grant.customer {
            transfers = GrantTransfers.of(
                goods, sale: grant.sale, to: customer, at: grant.updatedAt
            ).map { StoredTransfer($0) }
            if let record {
                periods = goods.compactMap {
                    EntitlementPeriodRecord($0, record, of: grant.sale, to: customer)
                }
            }
        }
        let storedTransfers = try transaction.transfers(of: grant.sale, revision: grant.revision)
        compare(
            "transfers", expected: Dictionary(rows: transfers), stored: .init(rows: storedTransfers)
        )
        let storedPeriods = try transaction.entitlementPeriods(of: grant.sale)
        compare(
            "entitlement_periods", expected: Dictionary(rows: periods.map(\.unplaced)),
            stored: Dictionary(rows: storedPeriods.map(\.unplaced)))
    }

    /// Compares all periods of a customer with how they should lie, and asks for the grant of each.
    fileprivate mutating func compare(
        _ stored: [EntitlementPeriodRecord], in transaction: any ReadTransaction
    ) throws {
        let unplaced = stored.map(\.unplaced)
        var expected = Dictionary(rows: unplaced)
        for placed in EntitlementPeriods.changed(in: unplaced) {
            expected[placed.rowKey] = placed.rowJSON
        }
        compare("entitlement_periods", expected: expected, stored: Dictionary(rows: stored))
        for period in stored {
            let sale = SaleReference(
                app: period.app, environment: period.environment, key: period.sale)
            if try transaction.grant(sale, revision: 0) == nil {
                add(
                    Difference(
                        "entitlement_periods", period.rowKey, expected: nil, stored: period.rowJSON)
                )
            }
        }
    }
}
