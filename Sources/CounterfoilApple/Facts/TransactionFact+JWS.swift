// SPDX-License-Identifier: Apache-2.0

internal import CounterfoilCore

extension TransactionFact {
    /// What a signed transaction says.
    ///
    /// - Throws: ``FactGap`` if a field is missing that the key of a sale or the order of copies needs,
    ///   or if the environment is one that proves nothing.
    init(
        _ payload: JWSTransaction, kind: FactKind, undoesRefund: Bool = false
    ) throws(FactGap) {
        let environment = try Self.provable(payload.environment)
        let transactionID = try Self.present(payload.transactionID, "transactionId")
        let purchaseDate = try Self.present(payload.purchaseDate, "purchaseDate")
        try self.init(
            environment: environment,
            bundleID: Self.present(payload.bundleID, "bundleId"),
            transactionID: transactionID,
            originalTransactionID: Self.present(
                payload.originalTransactionID, "originalTransactionId"),
            productID: Self.present(payload.productID, "productId"),
            quantity: Self.positive(payload.quantity),
            purchaseDate: purchaseDate,
            originalPurchaseDate: payload.originalPurchaseDate ?? purchaseDate,
            expiresDate: payload.expiresDate,
            type: payload.type,
            appAccountToken: payload.appAccountToken,
            ownershipType: payload.ownershipType,
            webOrderLineItemID: payload.webOrderLineItemID,
            price: payload.price,
            storefront: payload.storefront,
            isUpgraded: payload.isUpgraded,
            revocation: payload.revocationDate.map {
                Revocation(
                    date: $0, reason: payload.revocationReason, type: payload.revocationType,
                    percentageMilli: payload.revocationPercentageMilli)
            },
            signedDate: Self.present(payload.signedDate, "signedDate"),
            kind: kind, undoesRefund: undoesRefund)
    }

    static func present<Value>(_ value: Value?, _ field: String) throws(FactGap) -> Value {
        guard let value else { throw FactGap(field: field, problem: "is missing") }
        return value
    }

    /// The quantity; where none is told, one was bought.
    static func positive(_ quantity: Int64?) throws(FactGap) -> Int64 {
        guard let quantity else { return 1 }
        guard quantity >= 1 else { throw FactGap(field: "quantity", problem: "is \(quantity)") }
        return quantity
    }

    /// The environment, where somebody but the developer vouches for it.
    static func provable(_ environment: AppStoreEnvironment?) throws(FactGap) -> AppStoreEnvironment
    {
        let environment = try present(environment, "environment")
        guard environment.isVouchedFor else {
            throw FactGap(field: "environment", problem: "is \(environment), which proves nothing")
        }
        return environment
    }
}

extension AppStoreEnvironment {
    /// Whether Apple stands behind it: Xcode and local tests sign with the developer's own keys.
    var isVouchedFor: Bool { self != .xcode && self != .localTesting }
}
