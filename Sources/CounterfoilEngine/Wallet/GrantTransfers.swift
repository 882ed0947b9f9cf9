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
        let act = WalletAct(.grant, .sale(sale, revision: 0))
        return goods.flatMap { goods -> [TransferRecord] in
            guard case .unit(let unit, let amount, let bonus, .counterfoil) = goods else {
                return []
            }
            let parts: [(AccountKind, Int64)] = [(.paid, amount), (.bonus, bonus)]
            return parts.filter { $0.1 > 0 }.map { kind, amount in
                act.transfer(
                    act.transferID("\(kind.rawValue):\(unit)"), amount,
                    from: AccountRecord(sale.app, sale.environment, nil, unit, .issued),
                    to: AccountRecord(sale.app, sale.environment, customer, unit, kind), at: now)
            }
        }
    }
}
