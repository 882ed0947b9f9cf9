// SPDX-License-Identifier: Apache-2.0
public import CounterfoilApple
import CounterfoilCore

extension SimulatedPurchase {
    /// Takes what was signed; nil where an id, the product, a date, the environment or a known type of
    /// product is missing. Members that this type has no property for are kept beside the others.
    public init?(_ signed: JWSTransaction) {
        guard let environment = signed.environment, let bundleID = signed.bundleID,
            let transactionID = signed.transactionID, let productID = signed.productID,
            let kind = signed.type.flatMap({ Kind(rawValue: $0.rawValue) }),
            let purchaseDate = signed.purchaseDate
        else { return nil }
        self.init(
            environment: environment, bundleID: bundleID.rawValue,
            transactionID: transactionID.rawValue, productID: productID.rawValue, kind: kind,
            purchaseDate: purchaseDate)
        originalTransactionID = signed.originalTransactionID?.rawValue ?? self.transactionID
        originalPurchaseDate = signed.originalPurchaseDate ?? purchaseDate
        signedDate = signed.signedDate ?? purchaseDate
        expiresDate = signed.expiresDate
        quantity = signed.quantity ?? 1
        appAccountToken = signed.appAccountToken
        ownershipType = signed.ownershipType?.rawValue ?? ownershipType
        webOrderLineItemID = signed.webOrderLineItemID
        subscriptionGroupID = signed.subscriptionGroupIdentifier
        price = signed.price
        storefront = signed.storefront ?? storefront
        storefrontID = signed.storefrontID ?? storefrontID
        isUpgraded = signed.isUpgraded ?? false
        transactionReason = signed.transactionReason?.rawValue ?? transactionReason
        appTransactionID = signed.appTransactionID
        billingPlanType = signed.billingPlanType?.rawValue
        advancedCommerce = signed.advancedCommerce?.fields
        offer = Offer(
            signed.offerType, signed.offerIdentifier, signed.offerDiscountType, signed.offerPeriod)
        if let date = signed.revocationDate {
            revocation = Revocation(
                date: date, reason: signed.revocationReason?.rawValue,
                type: signed.revocationType?.rawValue,
                percentageMilli: signed.revocationPercentageMilli)
        }
        if let commitment = signed.commitment, let number = commitment.billingPeriodNumber,
            let total = commitment.totalBillingPeriods, let milli = commitment.priceMilli,
            let end = commitment.expiresDate
        {
            self.commitment = Commitment(
                billingPeriodNumber: number, totalBillingPeriods: total, priceMilli: milli,
                expiresDate: end)
        }
        let known = Set(transactionPayload.object?.keys ?? [])
        for member in signed.fields.members where !known.contains(member.key) {
            additionalMembers.append(member.key, member.value)
        }
    }
}

extension SimulatedPurchase.Offer {
    init?(
        _ type: OfferType?, _ identifier: String?, _ discountType: OfferDiscountType?,
        _ period: String?
    ) {
        guard type != nil || identifier != nil || discountType != nil || period != nil else {
            return nil
        }
        self.init(
            type: type?.rawValue, identifier: identifier, discountType: discountType?.rawValue,
            period: period)
    }
}
