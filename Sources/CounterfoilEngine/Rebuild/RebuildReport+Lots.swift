// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilDatabase
import CounterfoilStore

// Whether lots, balances and entries say the same (decision 17).
extension RebuildReport {
    /// What is left of each lot is what its uses leave.
    mutating func compareLots(_ page: RebuildPage) throws -> PageEnd? {
        let (lots, end) = try page.transaction.lots(after: page.after, limit: page.limit)
        count(.lots, lots.count)
        for lot in lots {
            compare(
                "lots",
                expected: [
                    lot.lotID.description: [
                        "remaining": .integer(lot.amount - lot.used), "has_entry": true,
                    ]
                ],
                stored: [
                    lot.lotID.description: [
                        "remaining": .integer(lot.remaining), "has_entry": .bool(lot.hasEntry),
                    ]
                ])
        }
        return end
    }

    /// Each balance is what is left of the account's lots, or what the customer's holds hold, and no
    /// account is on the wrong side of zero.
    mutating func compareBalances(_ page: RebuildPage) throws -> PageEnd? {
        let (balances, end) = try page.transaction.balances(after: page.after, limit: page.limit)
        count(.balances, balances.count)
        for balance in balances {
            let expected: Int64? =
                switch AccountKind(rawValue: balance.kind) {
                case .paid, .bonus: balance.remaining
                case .debt: -balance.remaining
                case .held: balance.held
                default: nil
                }
            guard balance.balance != expected else { continue }
            add(
                Difference(
                    "balances", "\(balance.accountID) (\(balance.kind))",
                    expected: expected.map { .integer($0) }, stored: .integer(balance.balance)))
        }
        return end
    }

    /// Each entry of an account with lots makes one or says which ones it used.
    mutating func compareMovements(_ page: RebuildPage) throws -> PageEnd? {
        let (movements, end) = try page.transaction.movements(
            after: page.after, limit: page.limit)
        count(.movements, movements.count)
        for movement in movements {
            guard let kind = AccountKind(rawValue: movement.kind), kind.hasLots else { continue }
            let sign: Int64 = kind == .debt ? -1 : 1
            let told = sign * (movement.made - movement.used)
            guard told != movement.amount else { continue }
            add(
                Difference(
                    "lot_uses", "\(movement.accountID), \(movement.transferID)",
                    expected: .integer(movement.amount), stored: .integer(told)))
        }
        return end
    }

    /// Each transfer has two sides that add up to zero; since each entry has its transfer, so does each
    /// unit.
    mutating func compareSides(_ page: RebuildPage) throws -> PageEnd? {
        let (sides, end) = try page.transaction.sides(after: page.after, limit: page.limit)
        count(.sides, sides.count)
        for side in sides
        where side.entries != 2 || side.sum != 0 || side.largest != side.amount {
            add(
                Difference(
                    "transfers", side.transferID.description,
                    expected: ["entries": 2, "sum": 0, "amount": .integer(side.amount)],
                    stored: [
                        "entries": .integer(side.entries), "sum": .integer(side.sum),
                        "amount": .integer(side.largest),
                    ]))
        }
        return end
    }
}
