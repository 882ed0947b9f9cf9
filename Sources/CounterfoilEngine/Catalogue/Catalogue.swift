// SPDX-License-Identifier: Apache-2.0

package import CounterfoilCore

/// What an app sells, and what goods each product is worth.
package struct Catalogue: Sendable {
    /// A name for exactly this content: the start of its SHA-256. Frozen grants carry it.
    package let version: String

    package let units: [UnitID: CatalogueUnit]
    package let products: [ProductID: CatalogueProduct]

    package init(
        version: String, units: [UnitID: CatalogueUnit], products: [ProductID: CatalogueProduct]
    ) {
        self.version = version
        self.units = units
        self.products = products
    }
}

/// Something countable that a wallet or a game holds.
package struct CatalogueUnit: Hashable, Sendable {
    package enum Kind: String, CaseIterable, Sendable {
        case currency, item
    }

    /// Who counts what is left of it.
    package enum Holder: String, CaseIterable, Sendable {
        /// Balances stand in our ledger.
        case counterfoil

        /// The game keeps its own balances; our ledger would only invent numbers.
        case game
    }

    package let id: UnitID
    package let kind: Kind
    package let holder: Holder

    /// The most of it that credits may fill a wallet up to; a purchase is never refused for it.
    package var maximumBalance: Int64?

    /// How long a bonus of it lasts; nil for ever. What was paid for never runs out.
    package var bonusExpiresAfter: CalendarPeriod?
}

/// One product of App Store Connect.
package struct CatalogueProduct: Hashable, Sendable {
    package let id: ProductID
    package let type: SaleType

    /// The subscription group and the level in it; 1 is the highest.
    package let group: String?
    package let level: Int64?

    /// The price by storefront (ISO 3166-1 alpha-3).
    package let prices: [String: Money]

    /// Whether it is offered. One that is not has no new orders and stands in no list; a payment of it
    /// settles all the same, since somebody may have paid before.
    package let isActive: Bool

    /// Where it stands in the list: the smallest first, and then by the ids.
    package let sortOrder: Int64

    /// Texts for the app, passed through as they are.
    package let texts: JSONValue?

    package let goods: [Goods]
}

extension CatalogueProduct {
    /// Whether it stands before another in the list for apps.
    package func precedes(_ other: CatalogueProduct) -> Bool {
        sortOrder == other.sortOrder ? id < other.id : sortOrder < other.sortOrder
    }
}

/// The four product types that settle differently.
package enum SaleType: String, CaseIterable, Sendable {
    case consumable
    case nonConsumable = "non_consumable"
    case nonRenewing = "non_renewing"
    case autoRenewable = "auto_renewable"
}
