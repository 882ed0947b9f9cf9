// SPDX-License-Identifier: Apache-2.0
import CounterfoilApple
import CounterfoilCore

extension StoreKitFileReader {
    /// `introductoryOffers` of version 5 stands before the older `introductoryOffer`, which may repeat
    /// the first of them.
    func introductoryOffers(_ reader: inout ObjectReader) -> [StoreOffer] {
        let list = offers("introductoryOffers", .introductory, of: &reader)
        let single = reader.value("introductoryOffer")
        guard list.isEmpty, let single else { return list }
        return [offer(single, path: reader.path("introductoryOffer"), kind: .introductory)]
            .compactMap { $0 }
    }

    func offers(
        _ key: String, _ kind: OfferType, of reader: inout ObjectReader
    ) -> [StoreOffer] {
        elements(key, of: &reader).compactMap { offer($0.value, path: $0.path, kind: kind) }
    }

    private func offer(_ value: JSONValue, path: String, kind: OfferType) -> StoreOffer? {
        var reader = ObjectReader(value, path: path, findings: faults)
        let mode = reader.member(
            "paymentMode", "\"free\", \"payAsYouGo\" or \"payUpFront\""
        ) { value -> StoreOffer.PaymentMode? in
            switch value.string {
            case "free": .freeTrial
            case "payAsYouGo": .payAsYouGo
            case "payUpFront": .payUpFront
            default: nil
            }
        }
        let period = period("subscriptionPeriod", of: &reader)
        let count = reader.integer(
            "numberOfPeriods", in: 1...Limits.maximumOfferPeriods, isRequired: false)
        let isFree = mode == .freeTrial
        let price = price("displayPrice", of: &reader, isRequired: mode != nil && !isFree)
        if isFree, let price, price > 0 {
            notes.report(reader.path("displayPrice"), "is not used: the offer is free")
        }
        let id = offerID(&reader, kind: kind)
        let eligibility = eligibility(&reader)
        let isStackable = reader.bool("isStackable", isRequired: false) ?? false
        let isOpen = reader.bool("isEligible", isRequired: false) ?? true
        _ = reader.value("internalID")
        _ = reader.value("billingPlanType")
        noteUnknownKeys(of: reader)
        guard let mode, let period, isFree || price != nil else { return nil }
        return StoreOffer(
            kind: kind, id: id, mode: mode, period: period, periodCount: count ?? 1,
            priceMilli: isFree ? 0 : price ?? 0, eligibility: eligibility,
            isStackable: isStackable, isWinBackOpen: isOpen)
    }

    /// The price behind a code for a product that is paid once.
    func codeOfOneTimeProduct(_ value: JSONValue, path: String) -> StoreOffer? {
        var reader = ObjectReader(value, path: path, findings: faults)
        let price = price("displayPrice", of: &reader, isRequired: false) ?? 0
        let id = offerID(&reader, kind: .offerCode)
        let eligibility = eligibility(&reader)
        for key in ["internalID", "paymentMode", "isStackable"] { _ = reader.value(key) }
        noteUnknownKeys(of: reader)
        guard let id else { return nil }
        return StoreOffer(
            kind: .offerCode, id: id, mode: .oneTime, period: .day, priceMilli: price,
            eligibility: eligibility)
    }

    /// What an app or a server calls the offer: codes go by their reference name.
    private func offerID(_ reader: inout ObjectReader, kind: OfferType) -> String? {
        let reference = reader.string(
            "referenceName", maximum: Limits.maximumNameLength,
            isRequired: kind == .offerCode)
        let id = reader.string(
            "offerID", maximum: Limits.maximumNameLength,
            isRequired: kind == .promotional || kind == .winBack)
        switch kind {
        case .introductory: return nil
        case .offerCode: return reference
        default: return id
        }
    }

    private func eligibility(_ reader: inout ObjectReader) -> Set<StoreOffer.Eligibility> {
        var all: Set<StoreOffer.Eligibility> = []
        for element in elements("eligibility", of: &reader) {
            guard let name = element.value.string else {
                faults.report(element.path, "is \(element.value.kindName) where a name is expected")
                continue
            }
            guard let value = StoreOffer.Eligibility(rawValue: name) else {
                notes.report(element.path, "is unknown here and kept as it is")
                continue
            }
            all.insert(value)
        }
        return all
    }
}
