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
    ///
    /// Those of the catalogue always; of others, which anybody may make up, the last ones.
    package func note(
        _ products: [ProductID], unknownToStoreOf policy: AppPolicy, at now: Instant,
        in transaction: any WriteTransaction
    ) throws {
        var hasStranger = false
        // In one order, so that two reports do not wait for each other.
        for product in Set(products).sorted() {
            let isFirst = try transaction.noteReport(
                of: product, policy.app, at: now, interval: Limits.productReportInterval)
            if isFirst, policy.catalogue.products[product] == nil { hasStranger = true }
        }
        guard hasStranger else { return }
        let strangers = try transaction.reportedProducts(policy.app)
            .filter { policy.catalogue.products[$0] == nil }
        for product in strangers.prefix(max(0, strangers.count - Limits.strangeProductReports)) {
            try transaction.dropReport(of: product, policy.app)
        }
    }
}
