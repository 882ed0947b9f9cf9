// SPDX-License-Identifier: Apache-2.0
import CounterfoilApple
import CounterfoilCore
import CounterfoilSimulator
import CounterfoilTestSupport

/// A store with one product of every kind, and an account to buy with.
enum TestShop {
    static let start = Instant(secondsSinceEpoch: 1_767_225_600)  // 2026-01-01
    static let token = UniqueID("7e3fb20b-4cdb-47cc-936d-99d65f608138")

    static func catalog() throws -> StoreCatalog {
        try StoreCatalog(
            products: [
                StoreProduct(
                    id: "coins_100", kind: .consumable, priceMilli: 990,
                    pricesMilli: ["VNM": 4_999_000_000],
                    codeOffers: [
                        StoreOffer(
                            kind: .offerCode, id: "FREECOINS", mode: .oneTime, period: .day)
                    ]),
                StoreProduct(
                    id: "unlock_all", kind: .nonConsumable, priceMilli: 4990,
                    isFamilyShareable: true),
                StoreProduct(
                    id: "season", kind: .nonRenewingSubscription, priceMilli: 2990),
                subscription("platinum_monthly", level: 1, .month, 19_990),
                subscription("gold_monthly", level: 2, .month, 9990, offers: true),
                subscription("gold_yearly", level: 2, .year, 99_990),
                subscription("silver_monthly", level: 3, .month, 4990),
                subscription("silver_monthly_b", level: 3, .month, 5990),
                subscription("family_monthly", level: 1, .month, 14_990, group: "family"),
                committed,
            ],
            groups: ["club", "family", "plan"].map { SubscriptionGroup(id: $0, name: $0) })
    }

    private static func subscription(
        _ id: String, level: Int64, _ period: StorePeriod, _ price: Int64,
        group: String = "club", offers: Bool = false
    ) -> StoreProduct {
        var terms = SubscriptionTerms(groupID: group, level: level, period: period)
        if offers {
            terms.introductoryOffers = [
                StoreOffer(kind: .introductory, mode: .freeTrial, period: .week)
            ]
            terms.promotionalOffers = [
                StoreOffer(
                    kind: .promotional, id: "half", mode: .payAsYouGo, period: .month,
                    periodCount: 3, priceMilli: 4990)
            ]
            terms.codeOffers = [
                StoreOffer(
                    kind: .offerCode, id: "QUARTER", mode: .payUpFront, period: .month,
                    periodCount: 3, priceMilli: 9990),
                StoreOffer(
                    kind: .offerCode, id: "NEWONLY", mode: .freeTrial, period: .month,
                    eligibility: [.new]),
            ]
            terms.winBackOffers = [
                StoreOffer(
                    kind: .winBack, id: "back", mode: .payUpFront, period: .year,
                    priceMilli: 49_990)
            ]
        }
        return StoreProduct(
            id: id, kind: .autoRenewableSubscription, priceMilli: price,
            isFamilyShareable: group == "family", subscription: terms)
    }

    private static var committed: StoreProduct {
        StoreProduct(
            id: "plan_yearly", kind: .autoRenewableSubscription, priceMilli: 60_000,
            subscription: SubscriptionTerms(
                groupID: "plan", period: .year,
                billingPlans: [
                    BillingPlan(
                        type: .billedUpfront, priceMilli: 60_000, commitmentPriceMilli: 60_000),
                    BillingPlan(type: .monthly, priceMilli: 5490, commitmentPriceMilli: 65_880),
                ]))
    }

    static func store(
        rate: TimeRate = .realTime, environment: AppStoreEnvironment = .sandbox,
        seed: UInt64 = 1, _ change: (inout StoreSettings) -> Void = { _ in }
    ) throws -> SimulatedStore {
        var settings = StoreSettings(
            bundleID: "com.example.game", environment: environment, timeRate: rate)
        change(&settings)
        var store = SimulatedStore(
            catalog: try catalog(), settings: settings, now: start,
            random: SeededRandom(seed: seed))
        try store.createAccount("u1")
        return store
    }

    static func offer(_ offer: PurchaseOptions.Offer) -> PurchaseOptions {
        var options = PurchaseOptions()
        options.offer = offer
        return options
    }
}

extension SimulatedStore {
    /// The names of what is in the outbox, which is emptied.
    mutating func told() -> [String] { takeNotifications().map(\.name) }

    /// Buys for the first account and gives the new transaction's id.
    mutating func bought(
        _ product: String, by account: String = "u1",
        _ options: PurchaseOptions = TestShop.offer(.none)
    ) throws -> String {
        let outcome = try buy(product, by: account, options)
        return outcome.transaction?.transactionID ?? ""
    }

    mutating func advance(days: Int64) throws {
        try advance(to: now + .seconds(days * 86_400))
    }
}

/// The code of the refusal, or nil where there was none.
func refusal(_ body: () throws -> Void) -> String? {
    do {
        try body()
        return nil
    } catch {
        return (error as? StoreError)?.code.name ?? "\(error)"
    }
}
