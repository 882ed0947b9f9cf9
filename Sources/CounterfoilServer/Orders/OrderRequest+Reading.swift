// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilEngine

extension OrderRequest {
    /// Reads the body of `POST /v1/orders`; nil after faults were reported.
    ///
    /// - Parameter own: The customer for whom the sender acts, who need not be named again.
    init?(_ body: inout ObjectReader, by own: CustomerID?) {
        let named = body.identifier("customer_id", CustomerKind.self, isRequired: own == nil)
        let customer = named ?? own
        let product = body.identifier("product_id", ProductKind.self)
        let quantity = body.integer("quantity", in: Limits.orderQuantities, isRequired: false)
        let storefront = body.member(
            "storefront", "three capital letters such as USA", isRequired: false
        ) { value in
            value.string.flatMap { Self.isStorefront($0) ? $0 : nil }
        }
        let environment = body.member(
            "environment", "\"Production\" or \"Sandbox\"", isRequired: false
        ) { value in
            let environments: [AppStoreEnvironment] = [.production, .sandbox]
            return environments.first { $0.rawValue == value.string }
        }
        let context = body.member(
            "context", "an object of at most \(Limits.orderContextByteCount) bytes",
            isRequired: false
        ) { value in
            value.utf8.count <= Limits.orderContextByteCount ? value.object : nil
        }
        guard let customer, let product, body.findings.isEmpty else { return nil }
        self.init(
            customer: customer, product: product, quantity: quantity ?? 1, storefront: storefront,
            environment: environment ?? .production, context: context)
    }

    private static func isStorefront(_ text: String) -> Bool {
        text.utf8.count == 3
            && text.utf8.allSatisfy { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
    }
}
