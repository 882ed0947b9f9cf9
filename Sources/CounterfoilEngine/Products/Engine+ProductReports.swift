// SPDX-License-Identifier: Apache-2.0

package import CounterfoilCore
package import CounterfoilDatabase
package import CounterfoilStore

extension Engine {
    /// Products that apps asked the store for in vain, in the order of their ids, those behind `after`.
    package func productReports(
        of app: AppID, after: ProductID?, limit: Int64
    ) async throws -> [ProductReport] {
        try await database.read { transaction in
            try transaction.productReports(
                app, after: after?.rawValue ?? "", limit: min(limit, Limits.pageSize))
        }
    }

    /// Notes products that an app asked the store for in vain.
    package func note(
        _ products: [ProductID], unknownToStoreOf app: AppID, at now: Instant,
        in transaction: any WriteTransaction
    ) throws {
        // In one order, so that two reports do not wait for each other.
        for product in Set(products).sorted() {
            try transaction.noteReport(
                of: product, app, at: now, interval: Limits.productReportInterval,
                limit: Limits.productReports)
        }
    }
}
