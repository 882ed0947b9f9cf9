// SPDX-License-Identifier: Apache-2.0
public import CounterfoilCore
import CounterfoilHTTP

/// What a backend told Apple about a purchase whose refund was asked for.
public struct ConsumptionReport: Hashable, Sendable {
    /// The transaction.
    public let transactionID: String

    /// 1 or 2: the version of the call.
    public let version: Int

    /// When it came.
    public let date: Instant

    /// Everything that was said, as it was written.
    public let content: JSONValue
}

/// The intake of such reports.
extension SimulatedAppStore {
    mutating func consumption(_ id: String, _ bytes: [UInt8]) throws(APIError) -> HTTPResponse {
        let kind = try transaction(id).kind
        let body = try ServiceBody(bytes)
        guard body["customerConsented"] == true else {
            throw APIError.invalidConsumption(.customerConsented)
        }
        guard body["sampleContentProvided"]?.bool != nil else {
            throw APIError.invalidConsumption(.sampleContentProvided)
        }
        guard let delivery = body["deliveryStatus"]?.string,
            Self.deliveryStatuses.contains(delivery)
        else { throw APIError.invalidConsumption(.deliveryStatus) }
        try Self.checkShare(of: body, kind: kind, isDelivered: delivery == "DELIVERED")
        return accept(id, version: 2, body)
    }

    private static let deliveryStatuses: Set = [
        "DELIVERED", "UNDELIVERED_QUALITY_ISSUE", "UNDELIVERED_WRONG_ITEM",
        "UNDELIVERED_SERVER_OUTAGE", "UNDELIVERED_OTHER",
    ]

    /// Apple names the errors of these rules without their numbers, so the general one stands in.
    private static func checkShare(
        of body: ServiceBody, kind: SimulatedPurchase.Kind, isDelivered: Bool
    ) throws(APIError) {
        func refusal(_ name: String) -> APIError { APIError(APIError.badRequest.code, name) }
        let isSubscription = kind == .autoRenewableSubscription
        let preference = body["refundPreference"]
        guard
            preference == nil
                || ["DECLINE", "GRANT_FULL", "GRANT_PRORATED"].contains(preference?.string ?? "")
        else { throw refusal("InvalidRefundPreferenceError") }
        guard let value = body["consumptionPercentage"] else {
            guard preference != "GRANT_PRORATED" || isSubscription else {
                throw refusal("ConsumptionPercentageOutOfRangeError")
            }
            return
        }
        guard !isSubscription else {
            throw refusal("ConsumptionPercentageAutoRenewableSubscriptionError")
        }
        guard let share = value.int64, (0...100_000).contains(share),
            share > 0 || preference != "GRANT_PRORATED"
        else { throw refusal("ConsumptionPercentageOutOfRangeError") }
        guard isDelivered || share == 0 else {
            throw refusal("UndeliveredConsumptionPercentageNonZeroError")
        }
    }

    mutating func consumptionV1(_ id: String, _ bytes: [UInt8]) throws(APIError) -> HTTPResponse {
        let kind = try transaction(id).kind
        guard kind == .consumable || kind == .autoRenewableSubscription else {
            throw APIError.transactionTypeNotSupported
        }
        let body = try ServiceBody(bytes)
        guard body["customerConsented"] == true else {
            throw APIError.invalidConsumption(.customerConsented)
        }
        guard body["sampleContentProvided"]?.bool != nil else {
            throw APIError.invalidConsumption(.sampleContentProvided)
        }
        guard let token = body["appAccountToken"]?.string, token.isEmpty || UniqueID(token) != nil
        else { throw APIError.invalidConsumption(.appAccountToken) }
        for (name, field, maximum) in Self.numbersOfVersion1 {
            guard let number = body[name]?.int64, (0...maximum).contains(number) else {
                throw APIError.invalidConsumption(field)
            }
        }
        if let preference = body["refundPreference"] {
            guard let number = preference.int64, (0...3).contains(number) else {
                throw APIError(APIError.badRequest.code, "Invalid refund preference.")
            }
        }
        return accept(id, version: 1, body)
    }

    private static let numbersOfVersion1: [(String, APIError.ConsumptionField, Int64)] = [
        ("consumptionStatus", .consumptionStatus, 3), ("platform", .platform, 2),
        ("deliveryStatus", .deliveryStatus, 5), ("accountTenure", .accountTenure, 7),
        ("playTime", .playTime, 7), ("lifetimeDollarsPurchased", .lifetimeDollarsPurchased, 7),
        ("lifetimeDollarsRefunded", .lifetimeDollarsRefunded, 7), ("userStatus", .userStatus, 4),
    ]

    private mutating func accept(
        _ id: String, version: Int, _ body: ServiceBody
    ) -> HTTPResponse {
        if consumptionReports.count >= Limits.maximumConsumptionReports {
            consumptionReports.removeFirst()
        }
        consumptionReports.append(
            ConsumptionReport(
                transactionID: id, version: version, date: store.now, content: body.value))
        // Apple takes what nobody asked for too.
        try? store.answerConsumption(id, body.value)
        return HTTPResponse(status: 202)
    }
}
