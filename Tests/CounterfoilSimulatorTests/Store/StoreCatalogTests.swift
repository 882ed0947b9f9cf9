// SPDX-License-Identifier: Apache-2.0
import CounterfoilApple
import CounterfoilSimulator
import Testing

struct CatalogueOfTheStore {
    private static let group = SubscriptionGroup(id: "g", name: "g")

    private static func coins(_ change: (inout StoreProduct) -> Void) -> [StoreProduct] {
        var product = StoreProduct(id: "coins", kind: .consumable, priceMilli: 990)
        change(&product)
        return [product]
    }

    private static func offer(_ change: (inout StoreOffer) -> Void) -> [StoreOffer] {
        var offer = StoreOffer(kind: .offerCode, id: "CODE", mode: .oneTime, period: .day)
        change(&offer)
        return [offer]
    }

    @Test(
        "What cannot be sold from is refused by name",
        arguments: [
            (coins { _ in } + coins { _ in }, "catalog.duplicate_product"),
            (coins { $0.id = "" }, "catalog.terms"),
            (coins { $0.kind = .autoRenewableSubscription }, "catalog.terms"),
            (
                coins { $0.subscription = SubscriptionTerms(groupID: "g", period: .week) },
                "catalog.terms"
            ),
            (
                coins {
                    $0.kind = .autoRenewableSubscription
                    $0.subscription = SubscriptionTerms(groupID: "x", period: .week)
                }, "catalog.unknown_group"
            ),
            (coins { $0.priceMilli = -1 }, "catalog.price"),
            (coins { $0.pricesMilli["JPN"] = .max }, "catalog.price"),
            (coins { $0.codeOffers = offer { $0.mode = .freeTrial } }, "catalog.offer"),
            (coins { $0.codeOffers = offer { $0.periodCount = 0 } }, "catalog.offer"),
            (coins { $0.codeOffers = offer { $0.id = nil } }, "catalog.offer"),
        ])
    func refusals(products: [StoreProduct], code: String) {
        let error = #expect(throws: CatalogError.self) {
            try StoreCatalog(products: products, groups: [Self.group])
        }
        #expect(error?.code.name == code)
    }

    @Test("Two groups of one id are refused")
    func groups() {
        let error = #expect(throws: CatalogError.self) {
            try StoreCatalog(products: [], groups: [Self.group, Self.group])
        }
        #expect(error?.code.name == "catalog.duplicate_group")
    }

    @Test("Storefronts know Apple's number and the currency")
    func storefronts() {
        #expect(Storefront(country: "USA") == .unitedStates)
        #expect(Storefront(country: "JPN")?.currency == "JPY")
        #expect(refusal { _ = try Storefront.named("XXX") } == "storefront.unknown")
        let known = Storefront.countries.compactMap { Storefront(country: $0) }
        #expect(Set(known.map(\.id)).count == known.count)
    }
}
