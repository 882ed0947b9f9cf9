// SPDX-License-Identifier: Apache-2.0
import CounterfoilApple
import CounterfoilSimulator
import CounterfoilTestSupport
import Testing

/// Files that Xcode wrote and that projects published; what they must say stands in their README.
struct PublishedStoreKitFiles {
    private static let folder = "storekit"
    private static let ending = ".storekit"

    private func file(_ name: String) throws -> StoreKitFile {
        try StoreKitFile(parsing: OutsideVectors.bytes("\(Self.folder)/\(name)\(Self.ending)"))
    }

    /// The terms of all subscriptions.
    private func terms(_ file: StoreKitFile) -> [SubscriptionTerms] {
        file.catalog.products.compactMap(\.subscription)
    }

    @Test("The files are there, or it is said how many are skipped")
    func presence() throws {
        try OutsideVectors.require(5, of: "StoreKit configuration files")
    }

    @Test(
        "Every file loads, and only keys that mean nothing to a store are unknown",
        arguments: OutsideVectors.names(in: folder, ending: ending))
    func loading(name: String) throws {
        let file = try file(name)
        #expect(name.hasPrefix("v\(file.version)-"))
        #expect(!file.catalog.products.isEmpty)
        #expect(file.notes.isEmpty, "\(file.notes)")
    }

    private var isAbsent: Bool { OutsideVectors.folder == nil }

    @Test("Version 1.0 has neither an id, nor non-renewing subscriptions, nor codes")
    func oldest() throws {
        guard !isAbsent else { return }
        let file = try file("v1.0-minimal")
        #expect(file.identifier == nil)
        #expect(
            file.catalog.products.map(\.kind) == [
                .consumable, .nonConsumable, .autoRenewableSubscription,
                .autoRenewableSubscription,
            ])
        #expect(file.catalog.products.map(\.priceMilli) == [990, 10_990, 3_990, 5_990])
        #expect(terms(file).map(\.level) == [1, 2])
        #expect(file.catalog.products.flatMap(\.offers).isEmpty)
    }

    @Test("Version 2.0 has codes, stackable and not, two paid introductory offers and Arabic texts")
    func codes() throws {
        guard !isAbsent else { return }
        let file = try file("v2.0-offer-codes")
        #expect(terms(file).flatMap(\.codeOffers).map(\.isStackable) == [true, false])
        #expect(
            terms(file).flatMap(\.introductoryOffers).map(\.mode) == [.payAsYouGo, .payUpFront])
        let locales = Set(file.catalog.products.map { $0.localizations.map(\.locale) })
        #expect(locales == [["en_US", "ar"]])
    }

    @Test("Version 3.0 has every offer but win-back, one id three times, and one level for all")
    func offers() throws {
        guard !isAbsent else { return }
        let file = try file("v3.0-all-offers")
        #expect(terms(file).count == 4)
        #expect(Set(terms(file).map(\.level)) == [1])
        #expect(Set(terms(file).map(\.groupID)).count == 1)
        let kinds = Set(file.catalog.products.flatMap(\.offers).map(\.kind))
        #expect(kinds == [.introductory, .promotional, .offerCode])
        let ids = file.catalog.products.flatMap { product in
            product.subscription?.promotionalOffers.compactMap(\.id) ?? []
        }
        #expect(Dictionary(grouping: ids, by: { $0 }).values.map(\.count).max() == 3)
        #expect(file.catalog.products.first?.referenceName == nil)
    }

    @Test("Version 4.0 has a win-back offer, three groups, and failures that are switched off")
    func winBack() throws {
        guard !isAbsent else { return }
        let file = try file("v4.0-winback-and-errors")
        #expect(file.catalog.groups.count == 3)
        let offer = try #require(terms(file).flatMap(\.winBackOffers).first)
        #expect(offer.priceMilli == 990)
        #expect(offer.period == .week)
        #expect(file.settings.failures.isEmpty)
    }

    @Test("Version 5.0 has billing plans, a commitment, and introductory offers twice")
    func plans() throws {
        guard !isAbsent else { return }
        let file = try file("v5.0-billing-plans")
        let plans = terms(file).flatMap(\.billingPlans)
        #expect(plans.contains { $0.type == .monthly && $0.commitmentPriceMilli > $0.priceMilli })
        #expect(terms(file).map(\.introductoryOffers.count) == [1, 1, 0, 0])
        #expect(file.catalog.products.contains { $0.kind == .nonRenewingSubscription })
        #expect(file.settings.storefront == .unitedStates)
        #expect(!file.settings.isAskToBuyOn)
    }
}
