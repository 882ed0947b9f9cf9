// SPDX-License-Identifier: Apache-2.0

package import CounterfoilCore
package import CounterfoilDatabase
package import CounterfoilStore

/// Why customers were not merged, or not parted; the transaction must not be committed.
package enum MergeRefusal: Error, Hashable, Sendable {
    case unknownCustomer

    /// Both ids are one customer's already, by another merge.
    case sameCustomer

    /// The customer was merged into somebody else before.
    case mergedElsewhere

    /// The customer has more than one transaction can move.
    case tooLarge

    /// Customers would be merged into one another more often than can be followed.
    case tooDeep

    case unknownMerge

    /// The target was itself merged since; that comes off first.
    case targetMerged
}

/// The studio's decision that one customer is another, with everything drawn that it needs.
///
/// The merged customer's id becomes another name of the target: whatever comes by it, or by its account
/// tokens, is the target's. What is stored of it keeps its key. Units and rights move, by transfers
/// that name the merge.
package struct CustomerMerge: Sendable {
    let policy: AppPolicy
    let customer: CustomerID
    let into: CustomerID
    let reason: String
    let mergeID: UniqueID
    let freshCustomerKey: UniqueID
    let epoch: UniqueID
    let now: Instant

    /// Merges the customers; the target is made if it is not known yet. Merging them again changes
    /// nothing and returns what stands.
    ///
    /// - Throws: ``MergeRefusal``; ``DatabaseError``.
    package func run(in transaction: any WriteTransaction) throws -> MergeView {
        guard let source = try transaction.ownKey(policy.app, customer) else {
            throw MergeRefusal.unknownCustomer
        }
        let target = try transaction.ensureCustomer(
            policy.app, into, freshKey: freshCustomerKey, at: now)
        try transaction.lockCustomers([source, target])
        if let standing = try transaction.standingMerge(of: source) {
            if standing.target != target {
                let isSame = try transaction.current(source) == target
                throw isSame ? MergeRefusal.sameCustomer : MergeRefusal.mergedElsewhere
            }
            return MergeView(merge: standing, customer: customer, into: into)
        }
        // The target may have been merged while its lock was waited for.
        guard try transaction.current(target) != source else { throw MergeRefusal.sameCustomer }
        guard try transaction.current(target) == target else {
            throw DatabaseError(.busy, "the customer was merged into another just now")
        }
        // The last look finds a customer that is its own.
        guard try transaction.mergeDepth(below: source) + 1 < CounterfoilStore.Limits.mergeDepth
        else { throw MergeRefusal.tooDeep }
        let merge = MergeRecord(
            mergeID: mergeID, app: policy.app, source: source, target: target, reason: reason,
            createdAt: now)
        let move = MergeMove(
            merge: merge, policy: policy, transaction: transaction, epoch: epoch, now: now)
        try transaction.insert(merge)
        let sales = try move.lock(salesAt: source) {
            try transaction.moveOpenOrders(by: merge)
        }
        try move.lay(sales)
        try move.moveUnits()
        try transaction.moveStandingCredits(by: merge)
        try move.publish("merge")
        try move.close(true)
        return MergeView(merge: merge, customer: customer, into: into)
    }
}

/// The studio's decision that two customers were not one, with everything drawn that it needs.
package struct MergeUndo: Sendable {
    let policy: AppPolicy
    let mergeID: UniqueID
    let reason: String
    let epoch: UniqueID
    let now: Instant

    /// Parts the customers. Undoing it again changes nothing and returns what stands.
    ///
    /// The merged customer has back what it brought; what the target has no longer becomes the target's
    /// debt. What came since, by either id, stays with the target.
    ///
    /// - Throws: ``MergeRefusal``; ``DatabaseError``.
    package func run(in transaction: any WriteTransaction) throws -> MergeView {
        guard var merge = try transaction.merge(policy.app, id: mergeID) else {
            throw MergeRefusal.unknownMerge
        }
        try transaction.lockCustomers([merge.source, merge.target])
        merge = try transaction.merge(policy.app, id: mergeID) ?? merge
        guard merge.undoneAt == nil else { return try MergeView(merge, in: transaction) }
        guard try transaction.current(merge.target) == merge.target else {
            throw MergeRefusal.targetMerged
        }
        let move = MergeMove(
            merge: merge, policy: policy, transaction: transaction, epoch: epoch, now: now)
        let undone = merge
        let sales = try move.lock(salesAt: merge.target) {
            try transaction.returnOpenOrders(of: undone)
        }
        try transaction.undo(merge, reason: reason, at: now)
        try move.close(false)
        try move.lay(sales)
        try move.returnUnits()
        try transaction.returnStandingCredits(of: undone)
        try move.publish("merge_undone")
        merge.undoneAt = now
        merge.undoReason = reason
        return try MergeView(merge, in: transaction)
    }
}

/// A merge with the customers' ids.
package struct MergeView: Sendable {
    package let merge: MergeRecord
    package let customer: CustomerID?
    package let into: CustomerID?

    init(merge: MergeRecord, customer: CustomerID?, into: CustomerID?) {
        self.merge = merge
        self.customer = customer
        self.into = into
    }

    init(_ merge: MergeRecord, in transaction: any ReadTransaction) throws(DatabaseError) {
        self.merge = merge
        customer = try transaction.customerID(merge.source)
        into = try transaction.customerID(merge.target)
    }

    package var json: JSONValue {
        [
            "merge_id": .string(merge.mergeID.description),
            "customer_id": .optional(customer?.rawValue), "into": .optional(into?.rawValue),
            "reason": .string(merge.reason), "created_at": .string(merge.createdAt.rfc3339),
            "undone_at": .optional(merge.undoneAt?.rfc3339),
            "undo_reason": .optional(merge.undoReason),
        ]
    }
}

extension Engine {
    /// Prepares the studio's decision that one customer is another.
    package func merge(
        _ customer: CustomerID, into target: CustomerID, reason: String, _ policy: AppPolicy
    ) -> CustomerMerge {
        CustomerMerge(
            policy: policy, customer: customer, into: target, reason: reason, mergeID: freshID(),
            freshCustomerKey: freshID(), epoch: epoch, now: clock.now)
    }

    /// Prepares the studio's decision that two customers were not one.
    package func mergeUndo(
        of mergeID: UniqueID, reason: String, _ policy: AppPolicy
    ) -> MergeUndo {
        MergeUndo(policy: policy, mergeID: mergeID, reason: reason, epoch: epoch, now: clock.now)
    }
}
