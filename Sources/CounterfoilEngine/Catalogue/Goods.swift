// SPDX-License-Identifier: Apache-2.0

package import CounterfoilCore

/// One part of what a purchase is worth.
package enum Goods: Hashable, Sendable {
    /// An amount of a unit, and a bonus that is kept apart from what was paid for.
    case unit(UnitID, amount: Int64, bonus: Int64, holder: CatalogueUnit.Holder)

    /// A right, for a time or for ever.
    case entitlement(EntitlementID, duration: CalendarPeriod?)

    /// The goods of several pieces.
    ///
    /// Units multiply. A right does not: two pieces of one are the same right, and a right for a
    /// time stacks by one period for each piece instead (``EntitlementPeriods``).
    package func multiplied(by quantity: Int64) -> Goods {
        guard case .unit(let unit, let amount, let bonus, let holder) = self else { return self }
        let pieces = min(quantity, Limits.quantity)
        return .unit(unit, amount: amount * pieces, bonus: bonus * pieces, holder: holder)
    }

    /// Whether it moves units of our ledger.
    var isHeldHere: Bool { unit != nil }

    /// The unit of our ledger that it moves.
    var unit: UnitID? {
        if case .unit(let unit, _, _, .counterfoil) = self { unit } else { nil }
    }

    package var isUnit: Bool {
        if case .unit = self { true } else { false }
    }
}

// The form in which a grant freezes its goods, and in which events and replies show them.
extension Goods {
    package var json: JSONValue {
        switch self {
        case .unit(let unit, let amount, let bonus, let holder):
            [
                "unit": .string(unit.rawValue), "amount": .integer(amount),
                "bonus": .integer(bonus),
                "held_by": .string(holder.rawValue),
            ]
        case .entitlement(let entitlement, let duration):
            [
                "entitlement": .string(entitlement.rawValue),
                "duration": .optional(duration?.iso8601),
            ]
        }
    }

    /// Reads what ``json`` wrote; nil for anything else, which means that the database is damaged.
    package init?(frozen value: JSONValue) {
        if let text = value["entitlement"]?.string, let entitlement = try? EntitlementID(text) {
            let duration = value["duration"]?.string
            let period = duration.flatMap { CalendarPeriod(iso8601: $0) }
            guard (duration == nil) == (period == nil) else { return nil }
            self = .entitlement(entitlement, duration: period)
        } else if let text = value["unit"]?.string, let unit = try? UnitID(text),
            let amount = value["amount"]?.int64, let bonus = value["bonus"]?.int64,
            let holder = value["held_by"]?.string.flatMap({ CatalogueUnit.Holder(rawValue: $0) })
        {
            self = .unit(unit, amount: amount, bonus: bonus, holder: holder)
        } else {
            return nil
        }
    }
}
