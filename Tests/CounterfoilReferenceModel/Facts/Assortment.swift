// SPDX-License-Identifier: Apache-2.0

/// One part of what a product is worth.
package enum Good: Hashable, Sendable {
    case unit(String, paid: Int64, bonus: Int64, isOurs: Bool)

    /// The period is written as `P30D` or `P1M`; nil is for ever.
    case right(String, period: String?)

    var isUnit: Bool {
        if case .unit = self { true } else { false }
    }

    /// In an order of its own, for goods that are compared in any.
    package static func sorted(_ goods: [Good]) -> [Good] {
        goods.sorted { "\($0)" < "\($1)" }
    }

    func multiplied(by quantity: Int64) -> Good {
        guard case .unit(let name, let paid, let bonus, let isOurs) = self else { return self }
        return .unit(name, paid: paid * quantity, bonus: bonus * quantity, isOurs: isOurs)
    }
}

/// What is sold at one time.
package struct Assortment: Hashable, Sendable {
    package struct Product: Hashable, Sendable {
        package let type: SaleKind
        package let goods: [Good]

        package init(_ type: SaleKind, _ goods: [Good]) {
            self.type = type
            self.goods = goods
        }
    }

    /// The name under which grants remember it.
    package let version: String
    package let products: [String: Product]

    package init(version: String, products: [String: Product]) {
        self.version = version
        self.products = products
    }
}
