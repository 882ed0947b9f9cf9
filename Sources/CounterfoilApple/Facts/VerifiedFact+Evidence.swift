// SPDX-License-Identifier: Apache-2.0

internal import CounterfoilCore

extension VerifiedPayload where Payload == JWSTransaction {
    /// What the transaction proves.
    ///
    /// - Parameter kind: Where it was found: with a client, in a notification, or in an answer that
    ///   this server fetched.
    /// - Throws: ``FactGap`` if Apple left out what the key of a sale needs, such as the bundle id of
    ///   rare old purchases.
    public func fact(as kind: FactKind) throws(FactGap) -> VerifiedFact {
        precondition(kind >= .clientJWS, "a signed transaction is no entry of a receipt")
        return VerifiedFact(
            fact: try TransactionFact(payload, kind: kind), evidenceSHA256: evidenceSHA256)
    }
}

extension VerifiedNotification {
    /// What the transaction inside proves, with the notification as its evidence; nil where it has none.
    ///
    /// - Throws: As ``VerifiedPayload/fact(as:)``.
    public func fact() throws(FactGap) -> VerifiedFact? {
        guard let transaction else { return nil }
        let fact = try TransactionFact(
            transaction.payload, kind: .notification,
            undoesRefund: notification.payload.notificationType == .refundReversed)
        return VerifiedFact(fact: fact, evidenceSHA256: notification.evidenceSHA256)
    }
}

extension VerifiedPayload where Payload == AppReceipt {
    /// What the receipt proves: one result for each purchase, in payload order.
    ///
    /// All of them are gaps where the receipt does not tell its environment: then nothing in it says
    /// that money was paid.
    public var facts: [Result<VerifiedFact, FactGap>] {
        payload.purchases.map { purchase in
            Result { () throws(FactGap) in
                VerifiedFact(
                    fact: try TransactionFact(purchase, of: payload, signedAt: effectiveDate),
                    evidenceSHA256: evidenceSHA256)
            }
        }
    }
}

extension TransactionFact {
    /// What an entry of a receipt says; the receipt gives app, environment and date.
    init(
        _ purchase: InAppPurchase, of receipt: AppReceipt, signedAt date: Instant
    ) throws(FactGap) {
        let purchaseDate = try Self.present(purchase.purchaseDate, "purchase_date")
        try self.init(
            environment: Self.provable(receipt.environment),
            bundleID: Self.present(receipt.bundleID, "bundle_id"),
            transactionID: Self.present(purchase.transactionID, "transaction_id"),
            originalTransactionID: Self.present(
                purchase.originalTransactionID, "original_transaction_id"),
            productID: Self.present(purchase.productID, "product_id"),
            quantity: Self.positive(purchase.quantity),
            purchaseDate: purchaseDate,
            originalPurchaseDate: purchase.originalPurchaseDate ?? purchaseDate,
            expiresDate: purchase.expiresDate,
            type: purchase.type,
            appAccountToken: nil,
            ownershipType: nil,
            webOrderLineItemID: purchase.webOrderLineItemID,
            price: nil,
            storefront: nil,
            isUpgraded: nil,
            revocation: purchase.cancellationDate.map {
                Revocation(date: $0, reason: nil, type: nil, percentageMilli: nil)
            },
            signedDate: date,
            kind: .receipt)
    }
}
