// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilSimulator

/// A Counterfoil catalogue made of what a `.storekit` file sells.
///
/// The file knows ids, types, prices and texts. What a product is worth it does not know: options say
/// that, and where they do not, a guess stands in with a comment beside it.
struct CatalogDraft: Sendable {
    private let name: String
    private let file: StoreKitFile
    private let options: [String: [GoodsOption.Goods]]
    private let currency: String

    /// - Parameters:
    ///   - currency: The unit that consumables give where no option says more.
    /// - Throws: ``UsageError`` for an option about a product that the file does not have.
    init(
        name: String, file: StoreKitFile, goods: [GoodsOption], currency: String
    ) throws(UsageError) {
        var options: [String: [GoodsOption.Goods]] = [:]
        for option in goods {
            guard file.catalog.product(option.product) != nil else {
                throw UsageError("--goods names \(option.product), which \(name) does not sell")
            }
            options[option.product, default: []].append(option.goods)
        }
        self.name = name
        self.file = file
        self.options = options
        self.currency = currency
    }

    /// The text of `catalog.json`, with comments.
    var text: String {
        let products = file.catalog.products.map(product)
        let units = unitIDs.map {
            "    { \"id\": \(quoted($0)), \"kind\": \"currency\", \"held_by\": \"counterfoil\" },"
        }
        return """
            // Made from \(TextTable.printable(name)). Goods with "guessed" beside them are placeholders:
            // say what each product is worth before the first sale.
            {
              "units": [
            \(units.joined(separator: "\n"))
              ],
              "products": [
            \(products.joined(separator: "\n"))
              ],
            }

            """
    }

    /// How many products have goods that nobody named.
    var guessCount: Int {
        file.catalog.products.count { options[$0.id] == nil }
    }

    /// Every unit of the goods, in the order in which they are named first.
    private var unitIDs: [String] {
        var seen: Set<String> = []
        return file.catalog.products.flatMap(goods).compactMap { goods in
            guard case .unit(let unit, _, _) = goods, seen.insert(unit).inserted else { return nil }
            return unit
        }
    }

    private func product(_ product: StoreProduct) -> String {
        var lines = ["      \"id\": \(quoted(product.id)),"]
        lines.append("      \"type\": \"\(product.kind.saleType)\",")
        if let subscription = product.subscription {
            lines.append("      \"group\": \(quoted(subscription.groupID)),")
            lines.append("      \"level\": \(subscription.level),")
        }
        let storefront = file.settings.storefront
        let price: JSONValue = [
            "amount_milli": .integer(product.priceMilli), "currency": .string(storefront.currency),
        ]
        lines.append("      \"prices\": { \(quoted(storefront.country)): \(price.text) },")
        if let texts = texts(of: product) { lines.append("      \"texts\": \(texts.text),") }
        let goods = goods(of: product).map { json($0).text }
        let comment = options[product.id] == nil ? "  // guessed" : ""
        lines.append("      \"goods\": [\(goods.joined(separator: ", "))],\(comment)")
        return "    {\n" + lines.joined(separator: "\n") + "\n    },"
    }

    private func texts(of product: StoreProduct) -> JSONValue? {
        guard !product.localizations.isEmpty else { return nil }
        var texts = JSONObject()
        for localization in product.localizations where texts[localization.locale] == nil {
            texts.append(
                localization.locale,
                [
                    "name": .string(localization.displayName),
                    "description": .string(localization.text),
                ])
        }
        return .object(texts)
    }

    private func goods(of product: StoreProduct) -> [GoodsOption.Goods] {
        if let named = options[product.id] { return named }
        switch product.kind {
        case .consumable:
            return [.unit(currency, amount: guessedAmount(of: product), bonus: 0)]
        case .nonConsumable:
            return [.entitlement(lastWord(of: product.id), duration: nil)]
        case .nonRenewingSubscription:
            return [.entitlement(lastWord(of: product.id), duration: "P30D")]
        case .autoRenewableSubscription:
            let group = file.catalog.groups.first { $0.id == product.subscription?.groupID }
            return [.entitlement(slug(group?.name ?? product.id), duration: nil)]
        }
    }

    private func json(_ goods: GoodsOption.Goods) -> JSONValue {
        switch goods {
        case .unit(let unit, let amount, let bonus):
            bonus == 0
                ? ["unit": .string(unit), "amount": .integer(amount)]
                : ["unit": .string(unit), "amount": .integer(amount), "bonus": .integer(bonus)]
        case .entitlement(let entitlement, let duration):
            duration.map { ["entitlement": .string(entitlement), "duration": .string($0)] }
                ?? ["entitlement": .string(entitlement)]
        }
    }

    /// The number at the end of the id, as in `coins100`; 1 without one.
    private func guessedAmount(of product: StoreProduct) -> Int64 {
        let digits = product.id.reversed().prefix { $0.isASCII && $0.isNumber }.prefix(9)
        let amount = Int64(String(digits.reversed())) ?? 1
        return max(1, amount)
    }

    /// What stands behind the last point, as in `com.example.game.premium`.
    private func lastWord(of id: String) -> String {
        slug(id.split(separator: ".").last.map(String.init) ?? id)
    }

    /// A name that people can type: lower case, digits and underscores.
    private func slug(_ text: String) -> String {
        let words = text.lowercased().split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }
        let slug = words.joined(separator: "_").prefix(EntitlementKind.maximumByteCount)
        return slug.isEmpty ? "membership" : String(slug)
    }

    private func quoted(_ text: String) -> String { JSONValue.string(text).text }
}

extension SimulatedPurchase.Kind {
    /// The type as a catalogue spells it.
    fileprivate var saleType: String {
        switch self {
        case .consumable: "consumable"
        case .nonConsumable: "non_consumable"
        case .nonRenewingSubscription: "non_renewing"
        case .autoRenewableSubscription: "auto_renewable"
        }
    }
}
