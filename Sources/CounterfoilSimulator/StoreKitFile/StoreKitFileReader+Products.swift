// SPDX-License-Identifier: Apache-2.0
import CounterfoilApple
import CounterfoilCore

extension StoreKitFileReader {
    /// A member of `products` or `nonRenewingSubscriptions`.
    func oneTimeProduct(_ value: JSONValue, path: String, list: String) -> StoreProduct? {
        var reader = ObjectReader(value, path: path, findings: faults)
        let isNonRenewingList = list == "nonRenewingSubscriptions"
        let names = ["Consumable", "NonConsumable", "NonRenewingSubscription"]
        let expected = "one of " + names.map { "\"\($0)\"" }.joined(separator: ", ")
        let kind = reader.member("type", expected, isRequired: !isNonRenewingList) {
            value -> SimulatedPurchase.Kind? in
            switch value.string {
            case "Consumable": .consumable
            case "NonConsumable": .nonConsumable
            case "NonRenewingSubscription": .nonRenewingSubscription
            default: nil
            }
        }
        var product = product(&reader, kind: kind ?? .nonRenewingSubscription)
        product?.codeOffers = elements("codeOffers", of: &reader).compactMap {
            codeOfOneTimeProduct($0.value, path: $0.path)
        }
        noteUnknownKeys(of: reader)
        return product
    }

    /// A member of a group's `subscriptions`.
    func subscription(_ value: JSONValue, path: String, group: String?) -> StoreProduct? {
        var reader = ObjectReader(value, path: path, findings: faults)
        _ = reader.member("type", "\"RecurringSubscription\"", isRequired: false) {
            $0 == "RecurringSubscription" ? true : nil
        }
        let named = reader.string(
            "subscriptionGroupID", maximum: Limits.maximumNameLength, isRequired: false)
        if let named, let group, named != group {
            reader.report("subscriptionGroupID", "names \"\(named)\" inside the group \"\(group)\"")
        }
        let level = reader.integer("groupNumber", in: 1...1000, isRequired: false) ?? 1
        let period = period("recurringSubscriptionPeriod", of: &reader)
        let introductory = introductoryOffers(&reader)
        let promotional = offers("adHocOffers", .promotional, of: &reader)
        let codes = offers("codeOffers", .offerCode, of: &reader)
        let winBack = offers("winbackOffers", .winBack, of: &reader)
        let plans = elements("billingPlans", of: &reader).compactMap {
            billingPlan($0.value, path: $0.path)
        }
        var product = product(&reader, kind: .autoRenewableSubscription)
        noteUnknownKeys(of: reader)
        guard let group, let period else { return nil }
        product?.subscription = SubscriptionTerms(
            groupID: group, level: level, period: period, introductoryOffers: introductory,
            promotionalOffers: promotional, codeOffers: codes, winBackOffers: winBack,
            billingPlans: plans)
        return product
    }

    /// The keys that all products have.
    private func product(
        _ reader: inout ObjectReader, kind: SimulatedPurchase.Kind
    ) -> StoreProduct? {
        func name(_ key: String, isRequired: Bool = false) -> String? {
            reader.string(key, maximum: Limits.maximumNameLength, isRequired: isRequired)
        }
        let id = name("productID", isRequired: true)
        if id?.isEmpty == true { reader.report("productID", "is empty") }
        let internalID = name("internalID")
        let referenceName = name("referenceName")
        let price = price("displayPrice", of: &reader, isRequired: true)
        let isShareable = reader.bool("familyShareable", isRequired: false) ?? false
        let localizations = localizations(of: &reader)
        guard let id, let price else { return nil }
        return StoreProduct(
            id: id, kind: kind, priceMilli: price, internalID: internalID,
            referenceName: referenceName, isFamilyShareable: isShareable,
            localizations: localizations)
    }

    private func billingPlan(_ value: JSONValue, path: String) -> BillingPlan? {
        var reader = ObjectReader(value, path: path, findings: faults)
        let type = reader.string("billingPlanType", maximum: Limits.maximumNameLength)
        let price = price("displayPrice", of: &reader, isRequired: true)
        let commitment = self.price("commitmentDisplayPrice", of: &reader, isRequired: false)
        let isEnabled = reader.bool("isEnabled", isRequired: false) ?? true
        let internalID = reader.string(
            "internalID", maximum: Limits.maximumNameLength, isRequired: false)
        noteUnknownKeys(of: reader)
        guard let type, let price else { return nil }
        return BillingPlan(
            type: BillingPlanType(rawValue: type), priceMilli: price,
            commitmentPriceMilli: commitment ?? price, isEnabled: isEnabled,
            internalID: internalID)
    }

    /// A price in thousandths. Xcode writes a decimal text without a currency, and an empty one where
    /// nobody has set a price yet.
    func price(_ key: String, of reader: inout ObjectReader, isRequired: Bool) -> Int64? {
        let expected = "a price such as \"4.99\""
        let price = reader.member(key, expected, isRequired: isRequired) { value -> Int64? in
            switch value {
            case .string(""): 0
            case .string(let text): DecimalPrice.milli(text)
            case .number(let number): DecimalPrice.milli(number.text)
            default: nil
            }
        }
        if reader.value(key) == .string("") {
            notes.report(reader.path(key), "is empty and taken as 0")
        }
        return price
    }

    func period(_ key: String, of reader: inout ObjectReader) -> StorePeriod? {
        reader.member(key, "a duration of one unit such as \"P1M\"") { value in
            value.string.flatMap { StorePeriod(iso8601: $0) }
        }
    }
}

/// Prices as Xcode writes them.
enum DecimalPrice {
    /// Reads digits with at most one point, such as `4.99`, `10` or `0.0`; nil for anything else, for
    /// parts below a thousandth and for more than the limit.
    static func milli(_ text: String) -> Int64? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        guard parts.count <= 2, parts.allSatisfy({ $0.utf8.allSatisfy(digits.contains) }),
            !parts[0].isEmpty, parts[0].utf8.count <= 10, let whole = Int64(parts[0])
        else { return nil }
        let fraction = parts.count == 2 ? parts[1] : ""
        guard parts.count == 1 || !fraction.isEmpty,
            fraction.dropFirst(3).allSatisfy({ $0 == "0" })
        else { return nil }
        let thousandths =
            fraction.prefix(3) + String(repeating: "0", count: max(0, 3 - fraction.count))
        guard let part = Int64(thousandths) else { return nil }
        let milli = whole * 1000 + part
        return milli <= Limits.maximumPriceMilli ? milli : nil
    }
}
