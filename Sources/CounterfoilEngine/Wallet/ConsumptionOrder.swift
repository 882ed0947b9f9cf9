// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilStore

/// Which units go first when a customer spends.
package enum ConsumptionOrder: String, CaseIterable, Sendable {
    /// What came on top before what was paid for, and what runs out soonest before the rest of it.
    case bonusFirst = "bonus_first"

    /// What was paid for before what came on top.
    case paidFirst = "paid_first"

    /// What came first, whatever it is.
    case oldestFirst = "oldest_first"
}

/// From which lots an amount is taken.
enum Consumption {
    /// A lot, and how much is taken from it.
    struct Step: Hashable {
        let lot: LotRecord
        let amount: Int64
    }

    /// Takes the amount, or all that there is, from the lots in the order of the policy.
    ///
    /// Pure, and the same whatever order the lots come in.
    static func plan(
        _ lots: [LotRecord], _ amount: Int64, _ order: ConsumptionOrder
    ) -> [Step] {
        var steps: [Step] = []
        var rest = amount
        for lot in lots.sorted(by: { goesFirst($0, $1, order) }) where rest > 0 {
            let part = min(rest, lot.remaining)
            guard part > 0 else { continue }
            steps.append(Step(lot: lot, amount: part))
            rest -= part
        }
        return steps
    }

    private static func goesFirst(
        _ one: LotRecord, _ other: LotRecord, _ order: ConsumptionOrder
    ) -> Bool {
        let (a, b) = (one.account.kind == .bonus, other.account.kind == .bonus)
        switch order {
        case .bonusFirst where a != b: return a
        case .paidFirst where a != b: return b
        case .bonusFirst, .paidFirst:
            switch (one.expiresAt, other.expiresAt) {
            case (let a?, let b?) where a != b: return a < b
            case (_?, nil): return true
            case (nil, _?): return false
            default: break
            }
        case .oldestFirst: break
        }
        if one.createdAt != other.createdAt { return one.createdAt < other.createdAt }
        return one.lotID.bytes.lexicographicallyPrecedes(other.lotID.bytes)
    }
}
