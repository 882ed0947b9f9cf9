// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilDatabase
import CounterfoilStore

/// Who has the rights of a sale: its owner, and those with whom they are shared.
enum RightHolders {
    /// The holders by the keys of the customers that they are now.
    static func of(
        _ sale: SaleReference, in transaction: any ReadTransaction
    ) throws(DatabaseError) -> Set<UniqueID> {
        var holders: Set<UniqueID> = []
        var keys = try transaction.shares(of: sale)
        if let owner = try transaction.sale(sale)?.customer { keys.append(owner) }
        for key in keys { holders.insert(try transaction.current(key)) }
        return holders
    }

    /// Gives the sale's rights to all who should have them and takes them from everybody else; what
    /// is right already stays as it is.
    ///
    /// The sale is locked, and the wallets of all who had a right or are to have one.
    static func lay(_ sale: SaleReference, in transaction: any WriteTransaction) throws {
        let wanted = try of(sale, in: transaction)
        let stored = try transaction.entitlementPeriods(of: sale)
        let present = Set(stored.map(\.customer))
        for period in stored where !wanted.contains(period.customer) {
            try transaction.delete(period)
        }
        let samples = Dictionary(grouping: stored, by: \.entitlement).values.compactMap(\.first)
        for customer in wanted.subtracting(present) {
            for sample in samples { try transaction.save(sample.held(by: customer).unplaced) }
        }
        for customer in present.symmetricDifference(wanted).sorted() {
            let all = try transaction.entitlementPeriods(sale.app, sale.environment, customer)
            for period in EntitlementPeriods.changed(in: all) { try transaction.save(period) }
        }
    }
}
