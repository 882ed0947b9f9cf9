// SPDX-License-Identifier: Apache-2.0

import CounterfoilApple
import CounterfoilCore
import Testing

/// Field case 01: one field, several spellings.
@Suite("A field of a signed payload")
struct FieldForms {
    private static let idFields = [
        "transactionId", "originalTransactionId", "webOrderLineItemId", "bundleId", "productId",
        "subscriptionGroupIdentifier", "appTransactionId", "storefrontId", "environment",
    ]

    private static let integerFields = [
        "quantity", "revocationReason", "revocationPercentage", "offerType",
    ]

    private static let dateFields = [
        "purchaseDate", "originalPurchaseDate", "expiresDate", "signedDate", "revocationDate",
    ]

    private func transaction(_ json: String) throws -> JWSTransaction {
        try JWSTransaction(JSONValue(parsing: json.utf8))
    }

    private func text(_ name: String, in payload: JWSTransaction) -> String? {
        switch name {
        case "transactionId": payload.transactionID?.rawValue
        case "originalTransactionId": payload.originalTransactionID?.rawValue
        case "webOrderLineItemId": payload.webOrderLineItemID
        case "bundleId": payload.bundleID?.rawValue
        case "productId": payload.productID?.rawValue
        case "subscriptionGroupIdentifier": payload.subscriptionGroupIdentifier
        case "appTransactionId": payload.appTransactionID
        case "storefrontId": payload.storefrontID
        default: payload.environment?.rawValue
        }
    }

    private func integer(_ name: String, in payload: JWSTransaction) -> Int64? {
        switch name {
        case "quantity": payload.quantity
        case "revocationReason": payload.revocationReason?.rawValue
        case "revocationPercentage": payload.revocationPercentageMilli
        case "offerType": payload.offerType?.rawValue
        case "purchaseDate": payload.purchaseDate?.millisecondsSinceEpoch
        case "originalPurchaseDate": payload.originalPurchaseDate?.millisecondsSinceEpoch
        case "expiresDate": payload.expiresDate?.millisecondsSinceEpoch
        case "signedDate": payload.signedDate?.millisecondsSinceEpoch
        default: payload.revocationDate?.millisecondsSinceEpoch
        }
    }

    @Test(
        "An id keeps every digit, as a string and as a number",
        arguments: idFields, ["9007199254740993", "18446744073709551617", "42"])
    func ids(field: String, digits: String) throws {
        #expect(try text(field, in: transaction("{\"\(field)\":\"\(digits)\"}")) == digits)
        #expect(try text(field, in: transaction("{\"\(field)\":\(digits)}")) == digits)
    }

    @Test("An id that is null or missing is absent", arguments: idFields)
    func absentIDs(field: String) throws {
        #expect(try text(field, in: transaction("{\"\(field)\":null}")) == nil)
        #expect(try text(field, in: transaction("{}")) == nil)
    }

    @Test(
        "An integer reads from a number and from its digits", arguments: integerFields + dateFields)
    func integers(field: String) throws {
        #expect(
            try integer(field, in: transaction("{\"\(field)\":1697679936049}")) == 1_697_679_936_049
        )
        #expect(
            try integer(field, in: transaction("{\"\(field)\":\"1697679936049\"}"))
                == 1_697_679_936_049)
        #expect(try integer(field, in: transaction("{\"\(field)\":null}")) == nil)
        #expect(try integer(field, in: transaction("{}")) == nil)
    }

    @Test(
        "Fractions of a millisecond are cut", arguments: dateFields,
        ["1697679936049.7297", "\"1697679936049.7297\"", "1697679936049.0"])
    func fractions(field: String, value: String) throws {
        #expect(
            try integer(field, in: transaction("{\"\(field)\":\(value)}")) == 1_697_679_936_049)
    }

    @Test(
        "A truth value reads in all its spellings",
        arguments: [
            ("true", true), ("false", false), ("\"true\"", true), ("\"false\"", false), ("1", true),
            ("0", false), ("\"1\"", true), ("\"0\"", false),
        ])
    func flags(value: String, expected: Bool) throws {
        #expect(try transaction("{\"isUpgraded\":\(value)}").isUpgraded == expected)
    }

    @Test(
        "A wrong type in a field about money, identity or time is an error that names it",
        arguments: [
            ("transactionId", "{\"a\":1}", "a string", "an object"),
            ("transactionId", "1.5", "a string", "1.5"),
            ("bundleId", "[]", "a string", "an array"),
            ("price", "\"dear\"", "an integer", "\"dear\""),
            ("price", "4990.5", "an integer", "4990.5"),
            ("price", "99999999999999999999", "an integer", "99999999999999999999"),
            ("quantity", "true", "an integer", "true"),
            ("purchaseDate", "\"yesterday\"", "milliseconds since 1970", "\"yesterday\""),
            ("purchaseDate", "1e12", "milliseconds since 1970", "1e12"),
            ("appAccountToken", "\"u1\"", "a UUID", "\"u1\""),
            ("isUpgraded", "\"perhaps\"", "true or false", "\"perhaps\""),
            ("commitmentInfo", "3", "an object", "3"),
        ])
    func wrongTypes(field: String, value: String, expected: String, actual: String) {
        #expect(throws: PayloadError(path: field, expected: expected, actual: actual)) {
            try transaction("{\"\(field)\":\(value)}")
        }
    }

    @Test("An error inside a nested object names the whole path")
    func nestedPath() {
        #expect(
            throws: PayloadError(
                path: "advancedCommerceInfo.items[1].refunds[0].refundAmount",
                expected: "an integer", actual: "\"all\"")
        ) {
            try transaction(
                #"{"advancedCommerceInfo":{"items":[{},{"refunds":[{"refundAmount":"all"}]}]}}"#)
        }
    }

    @Test(
        "A wrong type in a field that decides nothing reads as absent and stays readable",
        arguments: ["offerPeriod", "offerIdentifier", "transactionReason", "storefrontId"])
    func harmless(field: String) throws {
        let payload = try transaction("{\"\(field)\":{\"x\":1}}")
        #expect(payload.offerPeriod == nil && payload.offerIdentifier == nil)
        #expect(payload.transactionReason == nil && payload.storefrontID == nil)
        #expect(payload.fields[field] == ["x": 1])
    }

    @Test("An id longer than its kind allows is an error, not a cut")
    func longID() {
        let long = String(repeating: "7", count: 65)
        #expect(throws: PayloadError.self) { try transaction("{\"transactionId\":\"\(long)\"}") }
    }

    @Test("An account token reads in either case, and an empty one is absent")
    func tokens() throws {
        let token = "7E3FB20B-4CDB-47CC-936D-99D65F608138"
        #expect(
            try transaction("{\"appAccountToken\":\"\(token)\"}").appAccountToken?.description
                == token.lowercased())
        #expect(try transaction("{\"appAccountToken\":\"\"}").appAccountToken == nil)
    }

    @Test("A web order line item id of 0 is absent, as text and as a number")
    func noLineItem() throws {
        #expect(try transaction("{\"webOrderLineItemId\":\"0\"}").webOrderLineItemID == nil)
        #expect(try transaction("{\"webOrderLineItemId\":0}").webOrderLineItemID == nil)
    }

    /// Field case 02.
    @Test("A price beyond 32 bits keeps its value")
    func weakCurrency() throws {
        let payload = try transaction(#"{"price":4999000000,"currency":"VND"}"#)
        #expect(payload.price == Money(amountMilli: 4_999_000_000, currency: "VND"))
    }

    @Test("A payload that is no object is refused")
    func noObject() {
        #expect(throws: PayloadError(path: "", expected: "an object", actual: "an array")) {
            try JWSTransaction([])
        }
    }
}
