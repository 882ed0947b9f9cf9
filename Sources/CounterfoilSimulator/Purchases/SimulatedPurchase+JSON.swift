// SPDX-License-Identifier: Apache-2.0
public import CounterfoilCore

extension SimulatedPurchase {
    /// The payload that the App Store signs (JWSTransactionDecodedPayload).
    public var transactionPayload: JSONValue {
        var payload = PayloadWriter()
        payload.text("transactionId", transactionID)
        payload.text("originalTransactionId", originalTransactionID)
        payload.text("webOrderLineItemId", webOrderLineItemID)
        payload.text("bundleId", bundleID)
        payload.text("productId", productID)
        payload.text("subscriptionGroupIdentifier", subscriptionGroupID)
        payload.date("purchaseDate", purchaseDate)
        payload.date("originalPurchaseDate", originalPurchaseDate)
        payload.date("expiresDate", expiresDate)
        payload.number("quantity", quantity)
        payload.text("type", kind.rawValue)
        payload.text("appAccountToken", appAccountToken?.description)
        payload.text("inAppOwnershipType", ownershipType)
        payload.date("signedDate", signedDate)
        payload.number("revocationReason", revocation?.reason)
        payload.date("revocationDate", revocation?.date)
        payload.text("revocationType", revocation?.type)
        payload.number("revocationPercentage", revocation?.percentageMilli)
        payload.flag("isUpgraded", isUpgraded ? true : nil)
        payload.offer(offer)
        payload.text("environment", environment.rawValue)
        payload.text("transactionReason", transactionReason)
        payload.text("storefront", storefront)
        payload.text("storefrontId", storefrontID)
        payload.number("price", price?.amountMilli)
        payload.text("currency", price?.currency)
        payload.text("appTransactionId", appTransactionID)
        payload.object("advancedCommerceInfo", advancedCommerce)
        payload.text("billingPlanType", billingPlanType)
        payload.object("commitmentInfo", commitment?.payload)
        payload.members(additionalMembers)
        return .object(payload.object)
    }
}

extension SimulatedPurchase.Commitment {
    fileprivate var payload: JSONObject {
        var payload = PayloadWriter()
        payload.number("billingPeriodNumber", billingPeriodNumber)
        payload.date("commitmentExpiresDate", expiresDate)
        payload.number("commitmentPrice", priceMilli)
        payload.number("totalBillingPeriods", totalBillingPeriods)
        return payload.object
    }
}
