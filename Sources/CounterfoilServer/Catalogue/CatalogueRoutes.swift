// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilEngine
import CounterfoilHTTP

extension Interface {
    /// `POST /v1/catalogue/reload`: goes by the catalogue file as it stands now, if it has no fault.
    var catalogueRoutes: [Route] {
        [
            .secret(.post, "/v1/catalogue/reload") { context, principal in
                try context.query { _ in }
                try context.body { (_: inout ObjectReader) in () }
                guard let read = catalogue else {
                    throw Problem(
                        status: 501, code: "catalogue.fixed",
                        detail: "this server has no catalogue file")
                }
                let fresh: Catalogue
                do throws(ConfigurationError) {
                    fresh = try read(principal.app)
                } catch {
                    throw Problem(
                        status: 422, code: "catalogue.invalid",
                        detail: "the catalogue stays as it was: \(error)")
                }
                let isNew = try await engine.replaceCatalogue(of: principal.app, by: fresh)
                return .json([
                    "catalogue_version": .string(fresh.version), "changed": .bool(isNew),
                    "products": .integer(fresh.products.count),
                ])
            }
        ]
    }
}
