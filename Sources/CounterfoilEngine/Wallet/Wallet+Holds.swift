// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilDatabase
import CounterfoilStore

// Units that are set aside for something that is not decided yet.
extension Wallet {
    /// Sets units aside, in the order in which they would be spent. A refund does not reach them.
    ///
    /// - Throws: As ``spend(_:of:for:)``.
    mutating func reserve(_ hold: HoldRecord) throws {
        try expire(hold.unit)
        let act = WalletAct(
            .reserve, .operation(hold.holdID), reason: hold.reason, reference: hold.reference)
        try take(try spendable(hold.amount, of: hold.unit), of: hold.unit, to: .held, for: act)
        var hold = hold
        hold.sequence = try transaction.sequence(app, environment, customer)
        try transaction.insert(hold)
    }

    /// Spends what was set aside, or as much of it as is named; the rest goes back to where it came from.
    ///
    /// - Returns: The hold as it is now.
    /// - Throws: ``WalletRefusal`` if the hold is over, or holds less.
    mutating func post(_ hold: HoldRecord, amount: Int64? = nil) throws -> HoldRecord {
        guard hold.state == .open else { throw WalletRefusal.holdIsOver(hold.state) }
        let amount = amount ?? hold.amount
        precondition(amount > 0, "whoever posts nothing voids")
        guard amount <= hold.amount else {
            throw WalletRefusal.aboveHold(held: hold.amount, wanted: amount)
        }
        let act = WalletAct(
            .post, .operation(hold.holdID), reason: hold.reason, reference: hold.reference)
        _ = try move(amount, of: hold.unit, .held, .spent, "held", for: act)
        try putBack(hold, allBut: amount)
        return try close(hold, .posted, amount)
    }

    /// Gives back what was set aside.
    ///
    /// - Parameter state: How it ended: voided, or lapsed when its time ran out.
    /// - Returns: The hold as it is now.
    /// - Throws: ``WalletRefusal`` if the hold is over.
    mutating func void(_ hold: HoldRecord, _ state: HoldState = .voided) throws -> HoldRecord {
        guard hold.state == .open else { throw WalletRefusal.holdIsOver(hold.state) }
        try putBack(hold, allBut: 0)
        return try close(hold, state, 0)
    }

    private func close(
        _ hold: HoldRecord, _ state: HoldState, _ posted: Int64
    ) throws -> HoldRecord {
        var hold = hold
        hold.state = state
        hold.posted = posted
        hold.closedAt = now
        try transaction.close(hold)
        return hold
    }

    /// Moves back what is held beyond `amount`, and pays with it what was owed meanwhile.
    private mutating func putBack(_ hold: HoldRecord, allBut amount: Int64) throws {
        guard amount < hold.amount else { return }
        let void = WalletAct(
            .void, .operation(hold.holdID), reason: hold.reason, reference: hold.reference)
        try giveBack(hold, allBut: amount, for: void)
        try setOffDebt(
            hold.unit, since: Departure(sequence: hold.sequence, at: hold.createdAt),
            for: WalletAct(.debtPayment, .operation(hold.holdID)))
    }

    /// From which lots a hold's units came.
    func lots(of hold: HoldRecord) throws -> [LotRecord] {
        let reserve = WalletAct(.reserve, .operation(hold.reservedBy))
        var held: [LotRecord] = []
        for kind in [AccountKind.paid, .bonus] {
            let account = account(hold.unit, kind)
            for use in try transaction.lotUses(by: reserve.takingID(kind, hold.unit)) {
                guard var lot = try transaction.lot(use.lotID, of: account) else {
                    throw LedgerError.lotsMissing
                }
                lot.remaining = use.amount
                held.append(lot)
            }
        }
        return held
    }

    /// Moves back what is held beyond `amount`: that which would have been spent last.
    ///
    /// - Returns: How much went back to which lots.
    @discardableResult
    private mutating func giveBack(
        _ hold: HoldRecord, allBut amount: Int64, for void: WalletAct
    ) throws -> [Consumption.Step] {
        var held = try lots(of: hold)
        for step in Consumption.plan(held, amount, policy.order) {
            for index in held.indices where held[index].lotID == step.lot.lotID {
                held[index].remaining -= step.amount
            }
        }
        let reserve = WalletAct(.reserve, .operation(hold.reservedBy))
        for kind in [AccountKind.paid, .bonus] {
            let lots = held.filter { $0.account.kind == kind && $0.remaining > 0 }
            let back = lots.reduce(0) { $0 + $1.remaining }
            guard back > 0 else { continue }
            var transfer = void.transfer(
                void.transferID(kind.rawValue), back, from: account(hold.unit, .held),
                to: account(hold.unit, kind), at: now)
            transfer.corrects = reserve.takingID(kind, hold.unit)
            try book(transfer)
            for lot in lots {
                try take(.init(lot: lot, amount: -lot.remaining), by: transfer)
            }
        }
        return held.filter { $0.remaining > 0 }.map { .init(lot: $0, amount: $0.remaining) }
    }
}

// A hold that goes to another customer with the units that it holds.
extension Wallet {
    /// Gives back what is set aside and leaves the hold open, to be taken on elsewhere.
    ///
    /// - Returns: How much went back to which lots.
    mutating func release(
        _ hold: HoldRecord, for operation: UniqueID, reason: String
    ) throws -> [Consumption.Step] {
        try giveBack(
            hold, allBut: 0, for: WalletAct(.void, .operation(operation), reason: reason))
    }

    /// Sets the units of an open hold aside here, from the lots that they have come to, whatever is owed.
    mutating func takeOn(
        _ hold: HoldRecord, from steps: [Consumption.Step], for operation: UniqueID,
        reason: String
    ) throws {
        guard steps.amount == hold.amount else { throw LedgerError.lotsMissing }
        try take(
            steps, of: hold.unit, to: .held,
            for: WalletAct(.reserve, .operation(operation), reason: reason))
        var hold = hold
        hold.customer = customer
        hold.reservedBy = operation
        try transaction.move(hold)
    }
}
