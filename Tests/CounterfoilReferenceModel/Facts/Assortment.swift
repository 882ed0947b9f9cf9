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

    /// The same with one part for each unit, and none that is worth nothing.
    static func joined(_ goods: [Good]) -> [Good] {
        var joined: [Good] = []
        for good in goods {
            guard case .unit(let name, let paid, let bonus, let isOurs) = good else {
                joined.append(good)
                continue
            }
            var (paidSum, bonusSum) = (paid, bonus)
            joined.removeAll { other in
                guard case .unit(name, let paid, let bonus, isOurs) = other else { return false }
                paidSum += paid
                bonusSum += bonus
                return true
            }
            joined.append(.unit(name, paid: paidSum, bonus: bonusSum, isOurs: isOurs))
        }
        return joined.filter { good in
            if case .unit(_, 0, 0, _) = good { false } else { true }
        }
    }

    /// What is left beside credits: each kind is set against its own first, then against the other.
    func without(_ credits: [Books.Credit]) -> Good {
        guard case .unit(let name, let paid, let bonus, true) = self else { return self }
        let own = credits.filter { $0.unit == name }
        var (paidLeft, bonusLeft) = (paid, bonus)
        var (paidCredit, bonusCredit) = own.reduce((Int64(0), Int64(0))) {
            ($0.0 + $1.paid, $0.1 + $1.bonus)
        }
        func settle(_ left: inout Int64, _ credit: inout Int64) {
            let part = min(left, credit)
            left -= part
            credit -= part
        }
        settle(&paidLeft, &paidCredit)
        settle(&bonusLeft, &bonusCredit)
        settle(&paidLeft, &bonusCredit)
        settle(&bonusLeft, &paidCredit)
        return .unit(name, paid: paidLeft, bonus: bonusLeft, isOurs: true)
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
