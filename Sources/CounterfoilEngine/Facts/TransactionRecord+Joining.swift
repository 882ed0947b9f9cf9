// SPDX-License-Identifier: Apache-2.0

import CounterfoilApple
import CounterfoilCore
import CounterfoilStore

// How copies of one transaction become one record: each group of fields comes from the greatest copy
// among those that can carry it, so the result is the same in whatever order they arrive (promise P3).
extension TransactionRecord {
    /// A record of the first copy.
    init(_ verified: VerifiedFact, app: AppID, at now: Instant) {
        let fact = verified.fact
        self.init(
            app: app, environment: fact.environment, transactionID: fact.transactionID,
            identity: Sourced(Identity(fact), from: verified.source), createdAt: now)
        join(verified)
    }

    /// Joins another copy; joining one a second time changes nothing.
    mutating func join(_ verified: VerifiedFact) {
        let fact = verified.fact
        let source = verified.source
        precondition(
            fact.transactionID == transactionID && fact.environment == environment,
            "a copy is of the same transaction")
        identity = newer(identity, Sourced(Identity(fact), from: source))
            .completed(by: identity.value).completed(by: Identity(fact))
        if fact.carries.contains(.expiry) {
            expiresDate = newer(expiresDate, Sourced(fact.expiresDate, from: source))
        }
        if fact.carries.contains(.upgrade) {
            isUpgraded = newer(isUpgraded, Sourced(fact.isUpgraded, from: source))
        }
        if fact.carries.contains(.price) {
            price = newer(price, Sourced(Price(fact), from: source))
        }
        if fact.carries.contains(.tokenAndOwnership) {
            ownership = newer(ownership, Sourced(Ownership(fact), from: source))
        }
        if let copy = Revocation(fact) {
            revocation = stickier(revocation, Sourced(copy, from: source))
        }
        if let date = fact.revocation?.date {
            refundHistory.addRefund(at: date, signed: fact.signedDate)
        } else if fact.undoesRefund {
            refundHistory.addReversal(signed: fact.signedDate)
        }
        if let refund = fact.revocation, fact.carries.contains(.refundTerms) {
            let terms = RefundTerms(
                date: refund.date, reason: refund.reason.map { Int64($0.rawValue) },
                type: refund.type?.rawValue, percentageMilli: refund.percentageMilli)
            lastRefundTerms = newer(lastRefundTerms, Sourced(terms, from: source))
        }
    }
}

private func newer<Value>(_ old: Sourced<Value>?, _ new: Sourced<Value>) -> Sourced<Value> {
    guard let old, old.source >= new.source else { return new }
    return old
}

/// As ``newer(_:_:)``, but of two copies signed at one moment the revoked one wins.
private func stickier(
    _ old: Sourced<TransactionRecord.Revocation>?, _ new: Sourced<TransactionRecord.Revocation>
) -> Sourced<TransactionRecord.Revocation> {
    guard let old, old.source.signedDate == new.source.signedDate,
        (old.value.date == nil) != (new.value.date == nil)
    else { return newer(old, new) }
    return old.value.date == nil ? new : old
}

extension Sourced<TransactionRecord.Identity> {
    /// With what only other copies tell: old receipts carry no type and no line item, and their
    /// silence takes nothing away.
    fileprivate func completed(by other: TransactionRecord.Identity) -> Self {
        var completed = self
        completed.value.type = value.type ?? other.type
        completed.value.webOrderLineItemID = value.webOrderLineItemID ?? other.webOrderLineItemID
        return completed
    }
}

extension VerifiedFact {
    fileprivate var source: FactSource {
        FactSource(
            signedDate: fact.signedDate, rank: Int64(fact.kind.rank), evidence: evidenceSHA256)
    }
}

extension TransactionRecord.Identity {
    fileprivate init(_ fact: TransactionFact) {
        self.init(
            originalTransactionID: fact.originalTransactionID, productID: fact.productID,
            quantity: min(fact.quantity, Limits.quantity), purchaseDate: fact.purchaseDate,
            originalPurchaseDate: fact.originalPurchaseDate, type: fact.type?.rawValue,
            webOrderLineItemID: fact.webOrderLineItemID)
    }
}

extension TransactionRecord.Price {
    fileprivate init(_ fact: TransactionFact) {
        self.init(
            amountMilli: fact.price?.amountMilli, currency: fact.price?.currency,
            storefront: fact.storefront)
    }
}

extension TransactionRecord.Ownership {
    fileprivate init(_ fact: TransactionFact) {
        self.init(
            appAccountToken: fact.appAccountToken, ownershipType: fact.ownershipType?.rawValue)
    }
}

extension TransactionRecord.Revocation {
    /// The copy's part in the question of a refund: a revoked copy takes part, and one without a
    /// revocation only if this server fetched it from Apple or Apple sent it to say so. Others are
    /// silent, since a device can hand in a copy that was signed before the refund at any later time
    /// (field case 40).
    fileprivate init?(_ fact: TransactionFact) {
        guard let revocation = fact.revocation else {
            guard fact.canClearRevocation else { return nil }
            self.init(date: nil)
            return
        }
        self.init(date: revocation.date)
    }
}
