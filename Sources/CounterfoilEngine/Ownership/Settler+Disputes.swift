// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilDatabase
import CounterfoilStore

/// A contention, and what the app's policy says to it.
struct Dispute {
    let contention: Contention
    let answer: OwnershipPolicy.Answer

    /// What moves by the answer; nil where everything stays.
    let move: OwnershipMove?
}

extension Settler {
    /// Whether another customer than the owner comes up, and how that is answered; what the answer
    /// touches is locked. Of what was refunded nothing is left to dispute.
    func dispute(
        over input: SettlementInput, _ family: [TransactionRecord], hasNewToken: Bool
    ) throws -> Dispute? {
        guard input.refund == nil else { return nil }
        var named: UniqueID?
        let isTokenNews = hasNewToken || input.record.owner == nil
        if isTokenNews, !input.owner.isFirst, input.owner.customer != nil,
            let token = input.record.ownership?.value.appAccountToken
        {
            named = try transaction.customerKey(policy.app, named: token)
                .map { try transaction.current($0) }
        }
        let contention = Contention(owner: input.owner, claimant: input.claimant, named: named)
        guard let contention else { return nil }
        var answer = OwnershipPolicy.Answer.keep
        if case .known(let type) = input.typing { answer = policy.ownership.answer(for: type) }
        var move: OwnershipMove?
        if answer != .keep {
            let whole = OwnershipMove(
                of: input.record.original, family, and: input.sale, in: transaction, epoch: epoch,
                at: now)
            try whole.lock([contention.holder, contention.contender])
            move = whole
        }
        return Dispute(contention: contention, answer: answer, move: move)
    }

    /// Records the dispute and does what the policy says.
    ///
    /// - Returns: The answer to whoever handed the transaction in.
    func settle(
        _ dispute: Dispute, _ settlement: Settlement, _ input: SettlementInput
    ) throws -> Decision {
        let contention = dispute.contention
        let isSubmitters = contention.claim == .submitter
        if let sale = input.sale, sale.key.hasPrefix("o:"),
            try RightHolders.of(sale, in: transaction).contains(contention.contender)
        {
            // Answered before.
            return isSubmitters ? .restored : settlement.decision
        }
        // What was not delivered yet goes to its owner first.
        let hasRights = settlement.grant?.frozenGoods?.contains { !$0.isUnit } ?? false
        let answer = hasRights ? dispute.answer : .keep
        let conflict = record(of: dispute, answer, input)
        let isFirst = try transaction.count(conflict)
        switch (answer, dispute.move, input.sale) {
        case (.transfer, let move?, _):
            _ = try move.move(
                from: input.mergedOwner ?? contention.holder, to: contention.contender, .policy)
        case (.share, _?, let sale?):
            try transaction.share(sale, with: contention.contender, at: now)
            try RightHolders.lay(sale, in: transaction)
            try publishShare(of: sale, conflict)
        default: break
        }
        if isFirst { try publish(conflict) }
        if answer == .keep || (answer == .share && !isSubmitters) { return settlement.decision }
        if isSubmitters { return .restored }
        return input.claimant == nil ? settlement.decision : .withheld(.ownedByAnotherCustomer)
    }

    private func record(
        of dispute: Dispute, _ answer: OwnershipPolicy.Answer, _ input: SettlementInput
    ) -> ConflictRecord {
        let contention = dispute.contention
        let record = input.record
        let isOriginals = input.typing == .known(.nonConsumable)
        let original = record.identity.value.originalTransactionID
        let subject = isOriginals ? "o:\(original)" : "t:\(record.transactionID)"
        return ConflictRecord(
            conflictID: DerivedID.digest([
                "conflict", record.app.rawValue, record.environment.rawValue, subject,
                contention.holder.description, contention.contender.description,
            ]),
            app: record.app, environment: record.environment, originalTransactionID: original,
            transactionID: record.transactionID, productID: record.identity.value.productID,
            holder: contention.holder, contender: contention.contender,
            claim: contention.claim.rawValue, answer: answer.rawValue,
            evidence: record.identity.source.evidence, at: now)
    }

    private func publish(_ conflict: ConflictRecord) throws {
        let view = ConflictView(
            conflict: conflict, holder: try transaction.customerID(conflict.holder),
            contender: try transaction.customerID(conflict.contender))
        try Publisher(transaction: transaction, epoch: epoch, now: now).publish(
            EventDraft(
                id: DerivedID.digest(["ownership_conflict", conflict.conflictID.description]),
                type: .ownershipConflict, app: conflict.app, environment: conflict.environment,
                customer: conflict.holder, data: .object(view.data)))
    }

    /// Tells the contender's readers of the right, in the form of a transfer.
    private func publishShare(of sale: SaleReference, _ conflict: ConflictRecord) throws {
        let data: JSONValue = [
            "transfer_id": .null, "environment": .string(sale.environment.rawValue),
            "original_transaction_id": .string(conflict.originalTransactionID.rawValue),
            "from_customer_id": .optional(try transaction.customerID(conflict.holder)?.rawValue),
            "to_customer_id": .optional(try transaction.customerID(conflict.contender)?.rawValue),
            "cause": "share", "reason": .null, "undoes": .null,
            "created_at": .string(now.rfc3339),
            "product_id": .string(conflict.productID.rawValue),
        ]
        try Publisher(transaction: transaction, epoch: epoch, now: now).publish(
            EventDraft(
                id: DerivedID.of(sale, "shared:\(conflict.contender)", revision: 0),
                type: .ownershipChanged, app: conflict.app, environment: conflict.environment,
                customer: conflict.contender, data: data))
    }
}
