// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilDatabase
import CounterfoilStore

// Debts, and transfers that undo others.
extension Wallet {
    /// Writes debts of the unit off, the oldest first.
    ///
    /// - Parameters:
    ///   - limit: The most that is written off.
    ///   - lotID: The only debt that is, by the id of the transfer that made it; all, if nil.
    /// - Returns: How much was written off.
    @discardableResult
    mutating func writeOff(
        _ unit: UnitID, upTo limit: Int64 = .max, debt lotID: UniqueID? = nil, for act: WalletAct
    ) throws -> Int64 {
        var debts = try plan(limit, of: unit, on: [.debt])
        if let lotID {
            let lot = try transaction.lot(lotID, of: account(unit, .debt))
            debts = lot.map { Consumption.plan([$0], limit, policy.order) } ?? []
        }
        for debt in debts {
            let transfer = try move(
                debt.amount, of: unit, .writtenOff, .debt, "debt:\(debt.lot.lotID)", for: act)
            try take(debt, by: transfer)
        }
        return debts.amount
    }

    /// Undoes a transfer, once: a second time is an error of the database.
    ///
    /// Units go back into the lots that they came from. A debt is cancelled as far as it is open; what
    /// was paid of it since goes back to where it was paid from, what was written off is no longer.
    ///
    /// Goods that were given are not undone so, since they may be spent: ``takeBack(_:paid:bonus:of:for:)``.
    ///
    /// - Throws: ``LedgerError`` for a transfer that is not there, not of this wallet, or gave goods.
    mutating func mirror(_ transferID: UniqueID, for act: WalletAct) throws {
        guard let original = try transaction.transfer(transferID) else {
            throw LedgerError.noSuchTransfer
        }
        let customers = [original.from, original.to].compactMap(\.customer)
        guard !customers.isEmpty, customers.allSatisfy({ $0 == customer }),
            original.from.app == app, original.from.environment == environment
        else { throw LedgerError.notOfThisWallet }
        if original.from.kind == .debt, original.to.kind == .issued {
            return try cancelDebt(original.transferID, of: original.unit, for: act)
        }
        let brings = original.to.kind.hasLots && original.to.kind != .debt
        guard !brings else { throw LedgerError.cannotBeMirrored }
        try giveBack(
            original.amount, of: original, from: original.to, "all", for: act)
    }

    /// Moves back what a transfer moved, and gives it back to the lots it took from.
    private mutating func giveBack(
        _ amount: Int64, of original: TransferRecord, from source: AccountRecord, _ part: String,
        for act: WalletAct
    ) throws {
        let transfer = try book(
            amount, from: source, to: original.from, undoing: original.transferID, part, for: act)
        var left: [UniqueID: Int64] = [original.from.accountID: amount]
        // A payment closed a debt too; that opens again unless the system bears it.
        if source == original.to { left[original.to.accountID] = amount }
        for use in try transaction.lotUses(by: original.transferID).reversed() {
            let back = min(use.amount, left[use.accountID] ?? 0)
            guard back > 0 else { continue }
            left[use.accountID, default: 0] -= back
            try transaction.take(
                -back, fromLot: use.lotID, of: use.accountID, by: transfer.transferID)
        }
        guard left[original.from.accountID] == 0 || !original.from.kind.hasLots else {
            throw LedgerError.lotsMissing
        }
    }

    /// Undoes the debt that a refund made, and as much of it as a merge has brought to another customer.
    private mutating func cancelDebt(
        _ lotID: UniqueID, of unit: UnitID, for act: WalletAct
    ) throws {
        let (issued, owed) = (account(unit, .issued), account(unit, .debt))
        guard let debt = try transaction.lot(lotID, of: owed) else {
            throw LedgerError.lotsMissing
        }
        let uses = try transaction.lotUses(of: lotID)
        for (use, kind, _) in uses where use.amount > 0 {
            let undone = uses.filter { $0.corrects == use.transferID }
                .reduce(0) { $0 - $1.use.amount }
            let amount = use.amount - undone
            let kind = TransferKind(rawValue: kind)
            guard amount > 0, kind != .mergeUndone else { continue }
            guard let payment = try transaction.transfer(use.transferID) else {
                throw LedgerError.noSuchTransfer
            }
            switch kind {
            case .debtPayment:
                try giveBack(amount, of: payment, from: issued, "of:\(lotID)", for: act)
            case .writeOff:
                _ = try book(
                    amount, from: issued, to: account(unit, .writtenOff), undoing: lotID,
                    "written_off:\(use.transferID)", for: act)
            case .merge:
                var holder = try wallet(of: payment.from)
                try holder.cancelDebt(payment.transferID, of: unit, for: act)
            default: throw LedgerError.cannotBeMirrored
            }
        }
        guard debt.remaining > 0 else { return }
        let transfer = try book(
            debt.remaining, from: issued, to: owed, undoing: lotID, "open", for: act)
        try take(.init(lot: debt, amount: debt.remaining), by: transfer)
    }

    /// The wallet that an account is of; the caller holds its lock.
    private func wallet(of account: AccountRecord) throws -> Wallet {
        guard let customer = account.customer else { throw LedgerError.notOfThisWallet }
        return try Wallet(self, of: customer)
    }

    /// Books a transfer that undoes another, all of it or a part; its id follows from that other.
    private mutating func book(
        _ amount: Int64, from: AccountRecord, to: AccountRecord, undoing original: UniqueID,
        _ part: String, for act: WalletAct
    ) throws -> TransferRecord {
        let id = DerivedID.ofOperation(original, "mirror:\(part)")
        var transfer = act.transfer(id, amount, from: from, to: to, at: now)
        transfer.corrects = original
        try book(transfer)
        return transfer
    }
}

/// That the ledger is asked for something that its rules do not have, or that the stored one breaks
/// them; `counterfoil doctor` tells more.
struct LedgerError: Error, Hashable, CustomStringConvertible {
    let description: String

    static let noSuchTransfer = LedgerError(description: "there is no such transfer")
    static let notOfThisWallet = LedgerError(description: "the transfer is of another wallet")
    static let cannotBeMirrored = LedgerError(
        description: "the transfer gave units, which may be spent, and is not undone by a mirror")
    static let lotsMissing = LedgerError(description: "lots and balance do not agree")
}
