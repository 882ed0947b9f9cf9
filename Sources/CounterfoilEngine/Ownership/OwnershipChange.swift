// SPDX-License-Identifier: Apache-2.0

package import CounterfoilCore
package import CounterfoilDatabase
package import CounterfoilStore

/// Why an original stayed with its owner; the transaction must not be committed.
package enum OwnershipRefusal: Error, Hashable, Sendable {
    /// No proof of it was ever stored in this environment.
    case unknownOriginal

    /// It is used up by its buyer, or runs for a time that was bought: it stays with whom it went to.
    case notTransferable

    /// It is the customer's already.
    case unchanged

    case unknownTransfer

    /// Another transfer came after it.
    case changedSince

    /// It had no owner before to whom it could go back.
    case noEarlierOwner
}

/// The studio's decision to give an original to a customer, with everything drawn that it needs.
package struct OwnershipChange: Sendable {
    let policy: AppPolicy
    let environment: AppStoreEnvironment
    let original: OriginalTransactionID
    let customer: CustomerID
    let reason: String
    let transferID: UniqueID
    let freshCustomerKey: UniqueID
    let epoch: UniqueID
    let now: Instant

    /// Moves the original; the customer is made if it is not known yet.
    ///
    /// One that nobody owned, since its proof names nobody, is settled by a job thereafter.
    ///
    /// - Throws: ``OwnershipRefusal``; ``DatabaseError``.
    package func run(in transaction: any WriteTransaction) throws -> OwnershipTransferView {
        let key = try transaction.ensureCustomer(
            policy.app, customer, freshKey: freshCustomerKey, at: now)
        let reference = OriginalReference(app: policy.app, environment: environment, id: original)
        try transaction.lockOriginal(policy.app, environment, original)
        let family = try transaction.transactions(
            policy.app, environment, ofOriginal: original)
        guard let first = family.first else { throw OwnershipRefusal.unknownOriginal }
        guard family.contains(where: isTransferable) else {
            throw OwnershipRefusal.notTransferable
        }
        // Stored by their own keys, so that it is right again once merges are undone.
        let owner = try transaction.owner(of: reference, family)
        let current = try owner.map { try transaction.current($0) }
        guard current != key else { throw OwnershipRefusal.unchanged }
        let move = OwnershipMove(
            of: reference, family, and: nil, in: transaction, epoch: epoch, at: now)
        try move.lock(Set([current, key].compactMap(\.self)))
        let transfer = try move.move(
            from: owner, to: key, .studio, reason: reason, id: transferID)
        if owner == nil {
            try transaction.enqueue(FamilyJob(of: first).record(app: policy.app, at: now))
        }
        return try OwnershipTransferView(transfer, in: transaction)
    }

    private func isTransferable(_ record: TransactionRecord) -> Bool {
        record.sale?.hasPrefix("o:")
            ?? (SaleTyping(record, catalogue: policy.catalogue) == .known(.nonConsumable))
    }
}

/// The studio's decision to take a transfer back, with everything drawn that it needs.
package struct OwnershipUndo: Sendable {
    let app: AppID
    let transferID: UniqueID
    let reason: String
    let freshID: UniqueID
    let epoch: UniqueID
    let now: Instant

    /// Gives the original back to the owner whom the transfer took it from.
    ///
    /// It takes back the last transfer of an original only. Taking it back again changes nothing and
    /// returns what stands.
    ///
    /// - Throws: ``OwnershipRefusal``; ``DatabaseError``.
    package func run(in transaction: any WriteTransaction) throws -> OwnershipTransferView {
        guard let undone = try transaction.ownershipTransfer(app, id: transferID) else {
            throw OwnershipRefusal.unknownTransfer
        }
        let original = undone.original
        try transaction.lockOriginal(app, original.environment, original.id)
        let last = try transaction.lastOwnershipTransfer(of: original)
        if let last, last.undoes == transferID {
            return try OwnershipTransferView(last, in: transaction)
        }
        guard last?.transferID == transferID else { throw OwnershipRefusal.changedSince }
        guard let earlier = undone.from else { throw OwnershipRefusal.noEarlierOwner }
        let family = try transaction.transactions(
            app, original.environment, ofOriginal: original.id)
        guard !family.isEmpty else { throw OwnershipRefusal.unknownOriginal }
        let move = OwnershipMove(
            of: original, family, and: nil, in: transaction, epoch: epoch, at: now)
        try move.lock([transaction.current(undone.to), transaction.current(earlier)])
        let transfer = try move.move(
            from: undone.to, to: earlier, .undo, reason: reason, undoing: transferID, id: freshID)
        return try OwnershipTransferView(transfer, in: transaction)
    }
}

extension ReadTransaction {
    /// Whose an original is: by its last transfer, else whoever had one of its transactions first.
    func owner(
        of original: OriginalReference, _ family: [TransactionRecord]
    ) throws(DatabaseError) -> UniqueID? {
        try lastOwnershipTransfer(of: original)?.to ?? family.lazy.compactMap(\.owner).first
    }
}

extension TransactionRecord {
    var original: OriginalReference {
        OriginalReference(
            app: app, environment: environment, id: identity.value.originalTransactionID)
    }
}
