// SPDX-License-Identifier: Apache-2.0

/// What one signed piece of evidence says about one transaction.
package struct Copy: Hashable, Sendable {
    /// The forms in which the store signs, the weightier one last.
    package enum Form: Int, Sendable {
        case receipt, signedTransaction
    }

    package var transaction: String
    package var original: String
    package var product: String

    /// nil in receipts that do not tell it.
    package var type: SaleKind?
    package var quantity: Int64

    /// Instants are milliseconds since 1970 everywhere in the model.
    package var bought: Int64
    package var firstBought: Int64
    package var form: Form

    /// Only a signed transaction carries a token, the kind of ownership and a price.
    package var token: String?
    package var isFamilyShared: Bool
    package var priceMilli: Int64?
    package var revoked: Int64?
    package var signed: Int64

    /// Which of two copies counts that were signed at one moment in one form: the greater.
    package var seal: Int

    package init(
        transaction: String, original: String, product: String, type: SaleKind?,
        quantity: Int64, bought: Int64, firstBought: Int64, form: Form, token: String?,
        isFamilyShared: Bool, priceMilli: Int64?, revoked: Int64?, signed: Int64, seal: Int
    ) {
        self.transaction = transaction
        self.original = original
        self.product = product
        self.type = type
        self.quantity = quantity
        self.bought = bought
        self.firstBought = firstBought
        self.form = form
        self.token = token
        self.isFamilyShared = isFamilyShared
        self.priceMilli = priceMilli
        self.revoked = revoked
        self.signed = signed
        self.seal = seal
    }

    var weight: (Int64, Int, Int) { (signed, form.rawValue, seal) }
}

/// The four types of product, spelled as in the books.
package enum SaleKind: String, Hashable, Sendable {
    case consumable
    case nonConsumable = "non_consumable"
    case nonRenewing = "non_renewing"
    case autoRenewable = "auto_renewable"
}

/// What all copies of one transaction say together: each group of fields as the weightiest copy
/// that can carry it says.
package struct JoinedFacts: Hashable, Sendable {
    package let transaction: String
    package let original: String
    package let product: String
    package let type: SaleKind?
    package let quantity: Int64
    package let bought: Int64
    package let firstBought: Int64
    package let token: String?

    /// nil where no copy can tell.
    package let isFamilyShared: Bool?
    package let priceMilli: Int64?
    package let revoked: Int64?

    package init(
        transaction: String, original: String, product: String, type: SaleKind?,
        quantity: Int64, bought: Int64, firstBought: Int64, token: String?,
        isFamilyShared: Bool?, priceMilli: Int64?, revoked: Int64?
    ) {
        self.transaction = transaction
        self.original = original
        self.product = product
        self.type = type
        self.quantity = quantity
        self.bought = bought
        self.firstBought = firstBought
        self.token = token
        self.isFamilyShared = isFamilyShared
        self.priceMilli = priceMilli
        self.revoked = revoked
    }

    init(_ copies: Set<Copy>) {
        let byWeight = copies.sorted { $0.weight < $1.weight }
        guard let identity = byWeight.last else { preconditionFailure("a purchase has a copy") }
        let carrier = byWeight.last { $0.form == .signedTransaction }
        transaction = identity.transaction
        original = identity.original
        product = identity.product
        type = byWeight.last { $0.type != nil }?.type
        quantity = identity.quantity
        bought = identity.bought
        firstBought = identity.firstBought
        token = carrier?.token
        isFamilyShared = carrier?.isFamilyShared
        priceMilli = carrier?.priceMilli
        revoked = byWeight.last { $0.revoked != nil }?.revoked
    }
}
