// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilDatabase
import CounterfoilStore

// What a sale gives and what its refund takes back.
extension Wallet {
    /// Gives the units of a sale's goods, each part as a lot with its share of the price. What was paid
    /// for pays the customer's debt of the unit first, if the policy says so.
    ///
    /// Units that the game holds make no transfer (decision 8).
    mutating func issue(_ goods: [Goods], of sale: SaleReference, price: Money?) throws {
        for transfer in GrantTransfers.of(goods, sale: sale, to: customer, at: now) {
            try book(transfer)
            var lot = LotRecord(transfer, on: transfer.to)
            if lot.account.kind == .paid {
                lot.price = PriceShares.share(of: transfer.unit, in: goods, price)
            }
            if lot.account.kind == .bonus { lot.expiresAt = bonusExpiry(of: transfer.unit) }
            try transaction.add(lot)
            if lot.account.kind == .paid, policy.purchasesPayDebt, owed(transfer.unit) > 0 {
                let act = WalletAct(.debtPayment, .operation(transfer.transferID))
                try payDebt(transfer.unit, from: lot, for: act)
            }
        }
    }

    /// What a refund took.
    struct TakenBack: Hashable {
        var paid: Int64 = 0
        var bonus: Int64 = 0

        /// What was no longer there and is owed now.
        var owed: Int64 = 0
    }

    /// Takes units back: first from the lots of the sales themselves, then from others in the order of
    /// the policy, never from what is held; what is no longer there becomes a debt, one lot of it.
    ///
    /// - Parameters:
    ///   - paid: How much was paid for of what is taken back. Of the sales' own lots as much is taken
    ///     of either kind as was given of it, before the kinds stand in for each other.
    ///   - bonus: How much came on top of it.
    ///   - sales: Keys of the sales that gave it: the refunded one, and credits that stood in for it.
    ///   - act: One refund takes back of each unit once.
    @discardableResult
    mutating func takeBack(
        _ unit: UnitID, paid: Int64, bonus: Int64, of sales: [String], for act: WalletAct
    ) throws -> TakenBack {
        precondition(paid >= 0 && bonus >= 0, "a refund takes back")
        let total = paid + bonus
        var steps: [Consumption.Step] = []
        var own: [LotRecord] = []
        for kind in [AccountKind.paid, .bonus] where balance(unit, kind) > 0 {
            for sale in sales {
                own += try transaction.openLots(of: account(unit, kind), sale: sale)
            }
        }
        let byKind = own.filter { $0.account.kind == .paid }
        add(Consumption.plan(byKind, paid, policy.order), to: &steps, &own)
        let bonuses = own.filter { $0.account.kind == .bonus }
        add(Consumption.plan(bonuses, bonus, policy.order), to: &steps, &own)
        add(Consumption.plan(own, total - steps.amount, policy.order), to: &steps, &own)
        let spendable = min(total, available(unit)) - steps.amount
        if spendable > 0 {
            let taken = Dictionary(steps.map { ($0.lot.lotID, $0.amount) }, uniquingKeysWith: +)
            steps += try plan(spendable, of: unit, on: [.paid, .bonus], besides: taken)
            guard steps.amount == min(total, available(unit)) else {
                throw LedgerError.lotsMissing
            }
        }
        let shortfall = total - steps.amount
        try take(steps.joined, of: unit, to: .issued, for: act)
        if shortfall > 0 {
            let part = "\(act.kind.rawValue):debt:\(unit)"
            let transfer = try move(shortfall, of: unit, .debt, .issued, part, for: act)
            var debt = LotRecord(transfer, on: transfer.from)
            debt.sequence = try transaction.sequence(app, environment, customer)
            try transaction.add(debt)
        }
        return TakenBack(
            paid: steps.amount(on: .paid), bonus: steps.amount(on: .bonus), owed: shortfall)
    }

    /// Adds what a plan takes, and leaves in the lots what is still in them.
    private func add(
        _ plan: [Consumption.Step], to steps: inout [Consumption.Step], _ lots: inout [LotRecord]
    ) {
        for step in plan {
            steps.append(step)
            for index in lots.indices where lots[index].lotID == step.lot.lotID {
                lots[index].remaining -= step.amount
            }
        }
    }

    /// Writes what was paid for the lots of a sale, which became known later than the sale itself.
    func setPrice(_ price: Money?, ofLotsOf sale: SaleReference, goods: [Goods]) throws {
        for transfer in GrantTransfers.of(goods, sale: sale, to: customer, at: now)
        where transfer.to.kind == .paid {
            try setPrice(
                PriceShares.share(of: transfer.unit, in: goods, price),
                ofLot: transfer.transferID, on: transfer.to)
        }
    }

    /// Writes the price of a lot, and of what merges have brought of it to other customers.
    private func setPrice(_ price: Money?, ofLot id: UniqueID, on account: AccountRecord) throws {
        try transaction.setPrice(price, ofLot: id, of: account)
        guard let lot = try transaction.lot(id, of: account) else { return }
        for (use, kind, _) in try transaction.lotUses(of: id)
        where use.amount > 0 && kind == TransferKind.merge.rawValue {
            guard let move = try transaction.transfer(use.transferID) else {
                throw LedgerError.noSuchTransfer
            }
            try setPrice(lot.price(of: move.amount), ofLot: move.transferID, on: move.to)
        }
    }
}

/// How the price of a sale is told apart among its goods.
enum PriceShares {
    /// The share of one unit's paid part.
    ///
    /// Nobody says what the parts of a product are worth beside each other, so each part that was paid
    /// for counts the same, units of any number as one and rights too; the first bears what does not
    /// divide. A bonus was free.
    static func share(of unit: UnitID, in goods: [Goods], _ price: Money?) -> Money? {
        let paid = goods.filter { goods in
            if case .unit(_, let amount, _, _) = goods { amount > 0 } else { true }
        }
        let place = paid.firstIndex { goods in
            if case .unit(unit, _, _, _) = goods { true } else { false }
        }
        guard let price, let place else { return nil }
        let (share, rest) = price.amountMilli.quotientAndRemainder(dividingBy: Int64(paid.count))
        return Money(amountMilli: place == 0 ? share + rest : share, currency: price.currency)
    }
}

extension LotRecord {
    /// The share of what was paid for the lot that falls to a part of it, rounded down.
    func price(of part: Int64) -> Money? {
        guard let price, price.amountMilli >= 0 else { return price }
        let product = price.amountMilli.multipliedFullWidth(by: part)
        return Money(
            amountMilli: amount.dividingFullWidth(product).quotient, currency: price.currency)
    }
}

extension [Consumption.Step] {
    var amount: Int64 { reduce(0) { $0 + $1.amount } }

    func amount(on kind: AccountKind) -> Int64 {
        filter { $0.lot.account.kind == kind }.amount
    }

    /// The same with one step for each lot.
    fileprivate var joined: [Consumption.Step] {
        var places: [UniqueID: Int] = [:]
        var result: [Consumption.Step] = []
        for step in self {
            if let place = places[step.lot.lotID] {
                result[place] = .init(lot: step.lot, amount: result[place].amount + step.amount)
            } else {
                places[step.lot.lotID] = result.count
                result.append(step)
            }
        }
        return result
    }
}
