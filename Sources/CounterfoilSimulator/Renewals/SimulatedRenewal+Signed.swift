// SPDX-License-Identifier: Apache-2.0
public import CounterfoilApple
import CounterfoilCore

extension SimulatedRenewal {
    /// Takes what was signed; nil where the id, the environment or the date of signing is missing.
    public init?(_ signed: JWSRenewalInfo) {
        guard let original = signed.originalTransactionID, let environment = signed.environment,
            let signedDate = signed.signedDate
        else { return nil }
        self.init(
            originalTransactionID: original.rawValue, environment: environment,
            signedDate: signedDate)
        productID = signed.productID?.rawValue
        autoRenewProductID = signed.autoRenewProductID?.rawValue
        autoRenews = signed.autoRenewStatus.map { $0 == .on }
        expirationIntent = signed.expirationIntent?.rawValue
        isInBillingRetryPeriod = signed.isInBillingRetryPeriod
        gracePeriodExpiresDate = signed.gracePeriodExpiresDate
        priceIncreaseStatus = signed.priceIncreaseStatus?.rawValue
        offer = SimulatedPurchase.Offer(
            signed.offerType, signed.offerIdentifier, signed.offerDiscountType, signed.offerPeriod)
        renewalPrice = signed.renewalPrice
        renewalDate = signed.renewalDate
        recentSubscriptionStartDate = signed.recentSubscriptionStartDate
        eligibleWinBackOfferIDs = signed.eligibleWinBackOfferIDs
        appAccountToken = signed.appAccountToken
        appTransactionID = signed.appTransactionID
        advancedCommerce = signed.advancedCommerce?.fields
        renewalBillingPlanType = signed.renewalBillingPlanType?.rawValue
        commitment = signed.commitment.map {
            Commitment(
                autoRenewProductID: $0.autoRenewProductID?.rawValue,
                autoRenews: $0.autoRenewStatus.map { $0 == .on },
                renewalBillingPlanType: $0.renewalBillingPlanType?.rawValue,
                renewalDate: $0.renewalDate, renewalPriceMilli: $0.renewalPriceMilli)
        }
    }
}
