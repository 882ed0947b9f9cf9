// SPDX-License-Identifier: Apache-2.0
public import CounterfoilCore

extension SimulatedPurchase {
    /// The payload that the App Store signs (JWSTransactionDecodedPayload).
    public var transactionPayload: JSONValue {
        var payload = JSONObject()
        func text(_ key: String, _ value: String?) {
            if let value { payload.append(key, .string(value)) }
        }
        func number(_ key: String, _ value: Int64?) {
            if let value { payload.append(key, .integer(value)) }
        }
        text("transactionId", transactionID)
        text("originalTransactionId", originalTransactionID)
        text("webOrderLineItemId", webOrderLineItemID)
        text("bundleId", bundleID)
        text("productId", productID)
        text("subscriptionGroupIdentifier", subscriptionGroupID)
        number("purchaseDate", purchaseDate.millisecondsSinceEpoch)
        number("originalPurchaseDate", originalPurchaseDate.millisecondsSinceEpoch)
        number("expiresDate", expiresDate?.millisecondsSinceEpoch)
        number("quantity", quantity)
        text("type", kind.rawValue)
        text("appAccountToken", appAccountToken?.description)
        text("inAppOwnershipType", ownershipType)
        number("signedDate", signedDate.millisecondsSinceEpoch)
        number("revocationReason", revocation?.reason)
        number("revocationDate", revocation?.date.millisecondsSinceEpoch)
        text("revocationType", revocation?.type)
        number("revocationPercentage", revocation?.percentageMilli)
        if isUpgraded { payload.append("isUpgraded", true) }
        text("environment", environment.rawValue)
        text("transactionReason", transactionReason)
        text("storefront", storefront)
        text("storefrontId", storefrontID)
        number("price", price?.amountMilli)
        text("currency", price?.currency)
        text("appTransactionId", appTransactionID)
        for member in additionalMembers.members { payload.append(member.key, member.value) }
        return .object(payload)
    }
}
