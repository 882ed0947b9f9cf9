// SPDX-License-Identifier: Apache-2.0

import CounterfoilApple
import CounterfoilCore
import CounterfoilSimulator

/// What was read from a `.storekit` file, for people and for programs.
struct StoreKitReport: Sendable {
    let name: String
    let file: StoreKitFile

    /// Everything in one object.
    var json: JSONValue {
        [
            "file": .string(name), "version": .string(file.version.description),
            "identifier": .optional(file.identifier),
            "products": .array(
                file.catalog.products.filter { $0.subscription == nil }.map(json)),
            "groups": .array(
                file.catalog.groups.map { group in
                    [
                        "id": .string(group.id), "name": .string(group.name),
                        "subscriptions": .array(
                            file.catalog.subscriptions(of: group.id).map(json)),
                    ]
                }),
            "settings": settings,
            "notes": .array(
                file.notes.map { ["path": .string($0.path), "note": .string($0.problem)] }),
        ]
    }

    /// Tables of products and subscriptions, the settings that differ from Xcode's, and the notes.
    var text: String {
        var lines = [
            "\(TextTable.printable(name)): StoreKit configuration, version \(file.version)"
        ]
        for kind in SimulatedPurchase.Kind.allCases where kind != .autoRenewableSubscription {
            let products = file.catalog.products.filter { $0.kind == kind }
            guard !products.isEmpty else { continue }
            var table = TextTable("id", "price", "family", "name")
            for product in products {
                table.append([
                    product.id, price(product.priceMilli), product.isFamilyShareable ? "yes" : "no",
                    title(of: product),
                ])
            }
            lines += ["", "\(kind.rawValue): \(products.count)"] + table.lines
        }
        for group in file.catalog.groups {
            let subscriptions = file.catalog.subscriptions(of: group.id)
            var table = TextTable("id", "level", "period", "price", "offers", "name")
            for product in subscriptions {
                table.append([
                    product.id, product.subscription.map { String($0.level) },
                    product.subscription?.period.description, price(product.priceMilli),
                    offers(of: product), title(of: product),
                ])
            }
            lines += [
                "",
                "Subscription group \(TextTable.printable(group.name)) (\(TextTable.printable(group.id))): "
                    + "\(subscriptions.count)",
            ]
            lines += table.lines
        }
        lines += ["", "Settings"] + settingLines
        if !file.notes.isEmpty {
            lines += ["", "Notes"] + file.notes.map { "  \(TextTable.printable($0.description))" }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private func json(_ product: StoreProduct) -> JSONValue {
        var object = JSONObject()
        object.append("id", .string(product.id))
        object.append("type", .string(product.kind.rawValue))
        object.append("reference_name", .optional(product.referenceName))
        object.append("price", money(product.priceMilli))
        object.append("family_shareable", .bool(product.isFamilyShareable))
        if let subscription = product.subscription {
            object.append("level", .integer(subscription.level))
            object.append("period", .string(subscription.period.description))
        }
        object.append("offers", .array(product.offers.map(json)))
        return .object(object)
    }

    private func json(_ offer: StoreOffer) -> JSONValue {
        [
            "type": .string(Self.name(of: offer.kind)), "id": .optional(offer.id),
            "payment_mode": .string(offer.mode.rawValue),
            "period": .string(offer.period.description), "periods": .integer(offer.periodCount),
            "price": money(offer.priceMilli),
        ]
    }

    private func money(_ milli: Int64) -> JSONValue {
        [
            "amount_milli": .integer(milli),
            "currency": .string(file.settings.storefront.currency),
        ]
    }

    private var settings: JSONValue {
        [
            "storefront": .string(file.settings.storefront.country),
            "locale": .string(file.settings.locale),
            "time_rate": .integer(file.settings.timeRate.rawValue),
            "ask_to_buy": .bool(file.settings.isAskToBuyOn),
            "interrupted_purchases": .bool(file.settings.isInterruptionOn),
            "failing_renewals": .bool(file.settings.isBillingFailing),
            "grace_period": .bool(file.settings.isGraceOn),
            "failures": .object(
                JSONObject(
                    file.settings.failures.sorted { $0.key < $1.key }
                        .map { .init(key: $0.key, value: .string($0.value)) })),
        ]
    }

    private var settingLines: [String] {
        (settings.object?.members ?? []).map { member in
            let value = member.value.string ?? member.value.text
            return "  \(member.key): \(TextTable.printable(value))"
        }
    }

    private func price(_ milli: Int64) -> String {
        let fraction = String(milli % 1000)
        let places = String(repeating: "0", count: 3 - fraction.count) + fraction
        let shown = places.hasSuffix("0") ? places.dropLast() : places[...]
        return "\(milli / 1000).\(shown) \(file.settings.storefront.currency)"
    }

    private func title(of product: StoreProduct) -> String? {
        product.referenceName ?? product.localizations.first?.displayName
    }

    /// For example `introductory, 2 × promotional`.
    private func offers(of product: StoreProduct) -> String? {
        let kinds = product.offers.map(\.kind)
        let parts = [OfferType.introductory, .promotional, .offerCode, .winBack].compactMap {
            kind in
            let count = kinds.count { $0 == kind }
            return count == 0 ? nil : (count == 1 ? "" : "\(count) × ") + Self.name(of: kind)
        }
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }

    private static func name(of kind: OfferType) -> String {
        switch kind {
        case .introductory: "introductory"
        case .promotional: "promotional"
        case .offerCode: "offer code"
        case .winBack: "win-back"
        default: "type \(kind.rawValue)"
        }
    }
}
