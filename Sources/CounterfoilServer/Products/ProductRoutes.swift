// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilDatabase
import CounterfoilEngine
import CounterfoilHTTP
import CounterfoilStore

extension Interface {
    /// `GET /v1/products`, `POST /v1/products/report`, `GET /v1/products/reports` and
    /// `GET /v1/customers/{customer_id}/can-purchase`.
    var productRoutes: [Route] {
        [
            .key(.get, "/v1/products") { context, principal in
                let (after, limit) = try context.query { query in
                    (query.identifier("after", ProductKind.self), query.pageLimit())
                }
                let catalogue = try policy(of: principal).catalogue
                let offered = catalogue.products.values.filter(\.isActive)
                    .sorted { $0.precedes($1) }
                let page = offered[Self.start(behind: after, in: offered, of: catalogue)...]
                    .prefix(Int(limit))
                let next = page.count == Int(limit) ? page.last?.id : nil
                return .json([
                    "products": .array(page.map(\.json)), "next": .optional(next?.rawValue),
                    "catalogue_version": .string(catalogue.version),
                ])
            },
            .key(.post, "/v1/products/report") { context, principal in
                let products = try context.body { ProductReportRequest.read(&$0) }
                let policy = try policy(of: principal)
                for product in products {
                    let isListed = policy.catalogue.products[product] != nil
                    reportedProducts.increment(policy.app.rawValue, isListed ? "yes" : "no")
                }
                let now = context.receivedAt
                return try await once(context, principal) { [engine] transaction in
                    try engine.note(
                        products, unknownToStoreOf: policy, at: now, in: transaction)
                    return StoredReply(body: ["noted": .integer(products.count)])
                }
            },
            .secret(.get, "/v1/products/reports") { context, principal in
                let (after, limit) = try context.query { query in
                    (query.identifier("after", ProductKind.self), query.pageLimit())
                }
                let reports = try await engine.productReports(
                    of: principal.app, after: after, limit: limit)
                let catalogue = try policy(of: principal).catalogue
                let next = reports.count == Int(limit) ? reports.last?.productID : nil
                return .json([
                    "reports": .array(reports.map { $0.json(catalogue) }),
                    "next": .optional(next?.rawValue),
                ])
            },
            .customer(.get, "/v1/customers/{customer_id}/can-purchase") { context, principal in
                let (product, environment) = try context.query { query in
                    let product = query.identifier("product", ProductKind.self)
                    if product == nil, query.isMissing("product") {
                        query.findings.report("product", "is missing; expected a product's id")
                    }
                    return (product, query.environment())
                }
                let id = try principal.mayAct(
                    for: context.parameter("customer_id", CustomerKind.self))
                guard let product else { throw Problem.notFound("there is no such product") }
                let check = try await engine.check(
                    purchaseOf: product, by: id, from: policy(of: principal), in: environment)
                return .json(check.json)
            },
        ]
    }
}

extension Interface {
    /// Where the page behind a product begins; it may be gone from the list since the page before. A
    /// product that no catalogue has stands where one without a place of its own would.
    private static func start(
        behind last: ProductID?, in offered: [CatalogueProduct], of catalogue: Catalogue
    ) -> Int {
        guard let last else { return offered.startIndex }
        let order = catalogue.products[last]?.sortOrder ?? 0
        return offered.firstIndex { ($0.sortOrder, $0.id) > (order, last) }
            ?? offered.endIndex
    }
}

/// The body of a report: the ids that the store did not know.
private enum ProductReportRequest {
    /// Apps ask for some dozens of products at once.
    private static let maximumCount = 200

    static func read(_ body: inout ObjectReader) -> [ProductID]? {
        let elements = body.elements("product_ids", maximum: maximumCount)
        let products = elements.compactMap { element -> ProductID? in
            let id = element.value.string.flatMap { try? ProductID($0) }
            if id == nil { body.findings.report(element.path, "is no product_id") }
            return id
        }
        if elements.isEmpty, body.findings.isEmpty {
            body.report("product_ids", "names no product")
        }
        return body.findings.isEmpty ? products : nil
    }
}

extension CatalogueProduct {
    fileprivate var json: JSONValue {
        let prices = prices.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
        return [
            "product_id": .string(id.rawValue), "type": .string(type.rawValue),
            "group": .optional(group), "level": level.map { .integer($0) } ?? .null,
            "prices": .object(
                JSONObject(prices.map { .init(key: $0.key, value: $0.value.json) })),
            "sort_order": .integer(sortOrder), "texts": texts ?? .null,
            "goods": .array(goods.map(\.json)),
        ]
    }
}

extension ProductReport {
    fileprivate func json(_ catalogue: Catalogue) -> JSONValue {
        [
            "product_id": .string(productID.rawValue),
            "in_catalogue": .bool(catalogue.products[productID] != nil),
            "first_at": .string(firstAt.rfc3339), "last_at": .string(lastAt.rfc3339),
        ]
    }
}

extension PurchaseAdvice {
    fileprivate var json: JSONValue {
        [
            "customer_id": .string(customer.rawValue), "product_id": .string(product.rawValue),
            "environment": .string(environment.rawValue), "can_purchase": .bool(reasons.isEmpty),
            "reasons": .array(reasons.map { .string($0.rawValue) }),
        ]
    }
}
