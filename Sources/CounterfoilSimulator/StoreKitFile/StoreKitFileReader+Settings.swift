// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore

extension StoreKitFileReader {
    mutating func readSettings(_ value: JSONValue, path: String) {
        var reader = ObjectReader(value, path: path, findings: faults)
        readPlace(&reader)
        readTimeRate(&reader)
        func flag(_ key: String) -> Bool { reader.bool(key, isRequired: false) ?? false }
        settings.isAskToBuyOn = flag("_askToBuyEnabled")
        settings.isInterruptionOn = flag("_billingIssuesEnabled")
        settings.isBillingFailing = flag("_renewalBillingIssuesEnabled")
        settings.isGraceOn = flag("_billingGracePeriodEnabled")
        settings.areDialogsOff = flag("_disableDialogs")
        readFailures(&reader)
        settings.appAppleID = reader.string(
            "_applicationInternalID", maximum: Limits.maximumNameLength, isRequired: false
        ).flatMap { Int64($0) }
        for key in ["_developerTeamID", "_lastSynchronizedDate"] { _ = reader.value(key) }
        noteUnknownKeys(of: reader)
    }

    private mutating func readPlace(_ reader: inout ObjectReader) {
        let country = reader.member(
            "_storefront", "a country in three capital letters", isRequired: false
        ) { value -> String? in
            let capitals = UInt8(ascii: "A")...UInt8(ascii: "Z")
            guard let text = value.string, text.utf8.count == 3,
                text.utf8.allSatisfy(capitals.contains)
            else { return nil }
            return text
        }
        if let country {
            if let storefront = Storefront(country: country) {
                settings.storefront = storefront
            } else {
                notes.report(
                    reader.path("_storefront"),
                    "is a storefront whose currency is unknown here; prices are taken as USD")
                settings.storefront = Storefront(country: country, id: "0", currency: "USD")
            }
        }
        let locale = reader.string(
            "_locale", maximum: Limits.maximumNameLength, isRequired: false)
        if let locale { settings.locale = locale }
    }

    private mutating func readTimeRate(_ reader: inout ObjectReader) {
        let number = reader.integer("_timeRate", in: 0...Int64(Int32.max), isRequired: false)
        // For readers of an older format: what they shall take for a number that came later.
        let older = reader.value("_compatibilityTimeRate")?["3"]?.int64
        guard let number else { return }
        if let rate = TimeRate(rawValue: number) {
            settings.timeRate = rate
        } else {
            settings.timeRate = older.flatMap { TimeRate(rawValue: $0) } ?? .realTime
            notes.report(
                reader.path("_timeRate"),
                "is \(number), which is unknown here; \(settings.timeRate.rawValue) is used")
        }
    }

    /// The names of `_storeKitErrors`, and those of the interface of StoreKit's tests.
    private static let interfaces = [
        "Load Products": "loadProducts", "Purchase": "purchase", "Verification": "verification",
        "App Store Sync": "appStoreSync", "Subscription Status": "subscriptionStatus",
        "App Transaction": "appTransaction", "Manage Subscriptions Sheet": "manageSubscriptions",
        "Refund Request Sheet": "refundRequest", "Offer Code Redeem Sheet": "offerCodeRedeem",
    ]

    private mutating func readFailures(_ reader: inout ObjectReader) {
        let fails = reader.bool("_failTransactionsEnabled", isRequired: false) ?? false
        let number = reader.integer("_storeKitError", in: 0...Int64(Int32.max), isRequired: false)
        if fails { settings.failures["purchase"] = "generic \(number ?? 0)" }
        for element in elements("_storeKitErrors", of: &reader) {
            var failure = ObjectReader(element.value, path: element.path, findings: faults)
            let name = failure.string("name", maximum: Limits.maximumNameLength)
            let isOn = failure.bool("enabled", isRequired: false) ?? false
            let current = failure.value("current")
            noteUnknownKeys(of: failure)
            guard let name else { continue }
            guard let interface = Self.interfaces[name] else {
                notes.report(failure.path("name"), "is unknown here and kept as it is")
                continue
            }
            let kind = current?["type"]?.string ?? "generic"
            if isOn { settings.failures[interface] = "\(kind) \(current?["index"]?.int64 ?? 0)" }
        }
    }
}
