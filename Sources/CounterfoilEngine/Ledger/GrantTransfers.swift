// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilStore

/// The transfers by which goods reach a wallet.
enum GrantTransfers {
    /// Two transfers a unit at most: what was paid for and the bonus stand on accounts of their own.
    ///
    /// Units that the game holds make none: we could not know what is left of them.
    static func of(
        _ goods: [Goods], sale: SaleReference, to customer: UniqueID, at now: Instant
    ) -> [TransferRecord] {
        goods.flatMap { goods -> [TransferRecord] in
            guard case .unit(let unit, let amount, let bonus, .counterfoil) = goods else {
                return []
            }
            let parts: [(AccountKind, Int64)] = [(.paid, amount), (.bonus, bonus)]
            return parts.filter { $0.1 > 0 }.map { kind, amount in
                TransferRecord(
                    transferID: DerivedID.of(
                        sale, "transfer:\(kind.rawValue):\(unit)", revision: 0),
                    from: account(sale, nil, unit, .issued),
                    to: account(sale, customer, unit, kind), amount: amount, kind: "grant",
                    sale: sale, revision: 0, createdAt: now)
            }
        }
    }

    private static func account(
        _ sale: SaleReference, _ customer: UniqueID?, _ unit: UnitID, _ kind: AccountKind
    ) -> AccountRecord {
        AccountRecord(
            accountID: DerivedID.account(
                sale.app, sale.environment, customer: customer, unit, kind),
            app: sale.app, environment: sale.environment, customer: customer, unit: unit, kind: kind
        )
    }
}
