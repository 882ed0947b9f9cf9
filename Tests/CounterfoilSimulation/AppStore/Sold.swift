// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilReferenceModel
import CounterfoilSimulator

/// A purchase in the simulated store, as it stands there now.
struct Sold {
    var environment: AppStoreEnvironment
    var transaction: String
    var original: String
    var product: String
    var type: SaleKind
    var quantity: Int64
    var bought: Int64
    var firstBought: Int64
    var token: UniqueID?
    var isFamilyShared = false
    var priceMilli: Int64
    var revoked: Int64?

    /// The customer who paid.
    let buyer: String

    /// Older receipts do not tell the type of what was bought.
    var isTypeTold = true

    /// When copies were signed, and how many at that moment.
    var lastSigned: Int64 = 0
    var copiesThen = 0

    func copy(_ form: Copy.Form, signed: Int64, seal: Int) -> Copy {
        let isSigned = form == .signedTransaction
        return Copy(
            transaction: transaction, original: original, product: product,
            type: isTypeTold || isSigned ? type : nil, quantity: quantity, bought: bought,
            firstBought: firstBought, form: form, token: isSigned ? token?.description : nil,
            isFamilyShared: isSigned && isFamilyShared, priceMilli: isSigned ? priceMilli : nil,
            revoked: revoked, signed: signed, seal: seal)
    }

    func purchase(signed: Int64, bundle: String) -> SimulatedPurchase {
        var purchase = SimulatedPurchase(
            environment: environment, bundleID: bundle, transactionID: transaction,
            productID: product, kind: type.kind,
            purchaseDate: Instant(millisecondsSinceEpoch: bought))
        purchase.originalTransactionID = original
        purchase.originalPurchaseDate = Instant(millisecondsSinceEpoch: firstBought)
        purchase.quantity = quantity
        purchase.appAccountToken = token
        purchase.ownershipType = isFamilyShared ? "FAMILY_SHARED" : "PURCHASED"
        purchase.price = Money(amountMilli: priceMilli, currency: "USD")
        purchase.revocation = revoked.map {
            .init(date: Instant(millisecondsSinceEpoch: $0), type: "REFUND_FULL")
        }
        purchase.signedDate = Instant(millisecondsSinceEpoch: signed)
        return purchase
    }
}

extension SaleKind {
    fileprivate var kind: SimulatedPurchase.Kind {
        switch self {
        case .consumable: .consumable
        case .nonConsumable: .nonConsumable
        case .nonRenewing: .nonRenewingSubscription
        case .autoRenewable: .autoRenewableSubscription
        }
    }
}
