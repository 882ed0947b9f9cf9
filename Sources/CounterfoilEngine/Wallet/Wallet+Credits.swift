// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilDatabase
import CounterfoilStore

// What is given by hand, and the purchases that it stands in for.
extension Wallet {
    /// Gives units, as paid ones and as a bonus, each as a lot.
    ///
    /// - Parameter expiresAt: When the bonus runs out; nil for as the catalogue says.
    /// - Throws: ``WalletRefusal`` if the customer would have more than the catalogue allows, or if the
    ///   purchase that the credit stands for gave its goods already or was refunded, or is an order that
    ///   is not there.
    mutating func credit(_ credit: CreditRecord, expiresAt: Instant?) throws {
        let unit = credit.unit
        let total = credit.amount + credit.bonus
        let has = available(unit) + balance(unit, .held)
        if let maximum = catalogue.units[unit]?.maximumBalance, has + total > maximum {
            throw WalletRefusal.aboveMaximum(
                unit, maximum: maximum, balance: has, wanted: total)
        }
        if let id = try paidTransaction(of: credit) { try checkStanding(for: id) }
        let act = WalletAct(
            .credit, .operation(credit.creditID), reason: credit.reason,
            reference: credit.reference)
        for (kind, amount) in [(AccountKind.paid, credit.amount), (.bonus, credit.bonus)]
        where amount > 0 {
            let transfer = try move(amount, of: unit, .issued, kind, kind.rawValue, for: act)
            var lot = LotRecord(transfer, on: transfer.to)
            lot.sale = credit.lotKey
            if kind == .bonus { lot.expiresAt = expiresAt ?? bonusExpiry(of: unit) }
            try transaction.add(lot)
        }
        try transaction.insert(credit)
    }

    /// The transaction that a credit stands for, as far as it is known.
    private func paidTransaction(of credit: CreditRecord) throws -> TransactionID? {
        guard let id = credit.orderID else { return credit.transactionID }
        guard let order = try transaction.currentOrder(app, id: id), order.customer == customer
        else {
            throw WalletRefusal.unknownOrder
        }
        return order.paidBy
    }

    /// A refund that is known before takes nothing back of the credit; with the same purchase handed in
    /// again it would.
    private func checkStanding(for id: TransactionID) throws {
        guard let record = try transaction.transaction(app, environment, id) else { return }
        if let key = record.sale {
            let sale = SaleReference(app: app, environment: environment, key: key)
            if try transaction.grant(sale, revision: 0)?.isHandedOut == true {
                throw WalletRefusal.alreadyGranted(id)
            }
            let copies = try transaction.transactions(
                app, environment, ofOriginal: record.identity.value.originalTransactionID)
            if copies.contains(where: { $0.sale == key && $0.isRevoked }) {
                throw WalletRefusal.alreadyRefunded(id)
            }
        }
        if record.isRevoked { throw WalletRefusal.alreadyRefunded(id) }
    }
}

/// How much less a sale gives because of credits that stood in for it.
enum CreditOffset {
    /// The goods without what the credits gave, per unit: paid ones against paid ones and bonus against
    /// bonus first, then what is left against the other kind.
    ///
    /// A part of which nothing is left stays with 0, so that the grant shows what was bought.
    static func of(_ goods: [Goods], _ credits: [CreditRecord]) -> [Goods] {
        goods.map { goods in
            guard case .unit(let unit, let amount, let bonus, .counterfoil) = goods else {
                return goods
            }
            let own = credits.filter { $0.unit == unit }
            let paidCredit = own.reduce(0) { $0 + $1.amount }
            let bonusCredit = own.reduce(0) { $0 + $1.bonus }
            var paid = max(0, amount - paidCredit)
            var rest = max(0, bonus - bonusCredit)
            paid -= min(paid, max(0, bonusCredit - bonus))
            rest -= min(rest, max(0, paidCredit - amount))
            return .unit(unit, amount: paid, bonus: rest, holder: .counterfoil)
        }
    }

    /// What the credits gave, as goods that a refund takes back with those of the sale.
    static func goods(of credits: [CreditRecord]) -> [Goods] {
        credits.map {
            .unit($0.unit, amount: $0.amount, bonus: $0.bonus, holder: .counterfoil)
        }
    }
}
