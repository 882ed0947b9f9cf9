// SPDX-License-Identifier: Apache-2.0

package import CounterfoilCore
package import CounterfoilEngine
import CounterfoilHTTP

/// The HTTP interface of version 1 over one engine.
package struct Interface: Sendable {
    let engine: Engine
    let courier: Courier
    let submissions: Counter
    let reportedProducts: Counter
    let log: Log

    /// Reads the catalogue file of an app as it stands now; nil where there is none.
    let catalogue: CatalogueSource?

    package typealias CatalogueSource =
        @Sendable (AppID) throws(ConfigurationError) -> Catalogue

    /// Registers what it counts.
    package init(
        engine: Engine, courier: Courier, metrics: MetricsRegistry, log: Log = .none,
        catalogue: CatalogueSource? = nil
    ) {
        self.engine = engine
        self.courier = courier
        self.log = log
        self.catalogue = catalogue
        reportedProducts = metrics.counter(
            "counterfoil_reported_products_total",
            "Products that apps asked the store for in vain, by whether the catalogue has them.",
            labels: ["app", "in_catalogue"])
        submissions = metrics.counter(
            "counterfoil_submissions_total",
            "Pieces of evidence handed in, by what became of them.",
            labels: ["app", "status", "reason"])
    }

    /// All routes; a test holds the documentation against them.
    package var routes: [Route] {
        let all =
            orderRoutes + purchaseRoutes + customerRoutes + anonymousCustomerRoutes
            + transactionRoutes + grantRoutes + eventRoutes + debtRoutes + walletRoutes
            + statementRoutes + endpointRoutes + [endpointTestRoute] + deliveryRoutes
            + deliveryHoldRoutes + productRoutes + restoreRoutes + timelineRoutes
            + catalogueRoutes + ownershipRoutes + mergeRoutes + notificationRoutes
        return all.map { route in
            route.admitting { principal throws(Problem) in _ = try policy(of: principal) }
        }
    }

    /// The policy of the key's app.
    ///
    /// - Throws: ``Problem`` if the app is no longer configured, although the key still stands.
    func policy(of principal: Principal) throws(Problem) -> AppPolicy {
        guard let policy = engine.policies[principal.app] else {
            throw Problem(
                status: 403, code: "auth.app_not_configured",
                detail: "the key's app \"\(principal.app)\" is not in the configuration")
        }
        return policy
    }
}
