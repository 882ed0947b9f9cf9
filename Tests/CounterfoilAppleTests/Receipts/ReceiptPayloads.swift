// SPDX-License-Identifier: Apache-2.0

import CounterfoilApple
import CounterfoilCore
import CounterfoilSimulator
import Testing

@Suite("The payload of an app receipt")
struct ReceiptPayloads {
    typealias Attribute = CounterfoilSimulator.ReceiptAttribute

    private static let date = "2024-08-06T12:00:00Z"
    private static let instant = Instant(secondsSinceEpoch: 1_722_945_600)

    private static func receipt(_ attributes: [Attribute]) throws -> AppReceipt {
        try AppReceipt(payload: Attribute.encoded(attributes, isSorted: false))
    }

    private static func purchase(_ attributes: [Attribute]) throws -> InAppPurchase {
        let entry = Attribute(type: 17, value: Attribute.encoded(attributes, isSorted: false))
        return try #require(try receipt([entry]).purchases.first)
    }

    @Test("A simulated receipt reads back, unknown attributes in order")
    func whole() throws {
        var purchase = SimulatedPurchase(
            environment: .sandbox, bundleID: "com.example.app", transactionID: "2000000000000001",
            productID: "coins", kind: .autoRenewableSubscription, purchaseDate: Self.instant)
        purchase.originalTransactionID = "1000000000000001"
        purchase.expiresDate = Self.instant + .seconds(60)
        purchase.webOrderLineItemID = "2000000123357229"
        var source = SimulatedReceipt(
            bundleID: "com.example.app", environment: .sandbox, creationDate: Self.instant,
            purchases: [purchase])
        source.additionalAttributes = [
            Attribute(type: 9999, value: [1, 2, 3]), Attribute(type: 9999, value: [4]),
        ]
        let receipt = try Self.receipt(source.attributes)
        #expect(receipt.receiptType == "ProductionSandbox" && receipt.environment == .sandbox)
        #expect(receipt.bundleID?.rawValue == "com.example.app")
        #expect(receipt.bundleIDOctets?.first == 0x0C)
        #expect(receipt.creationDate == Self.instant)
        #expect(receipt.expirationDate == nil)
        #expect(receipt.deviceHash?.count == 20)
        #expect(receipt.attributes.filter { $0.type == 9999 }.map(\.octets.count) == [3, 1])
        let entry = try #require(receipt.purchases.first)
        #expect(entry.transactionID?.rawValue == "2000000000000001")
        #expect(entry.originalTransactionID?.rawValue == "1000000000000001")
        #expect(entry.type == .autoRenewable)
        #expect(entry.expiresDate == Self.instant + .seconds(60))
        #expect(entry.webOrderLineItemID == "2000000123357229")
        #expect(entry.cancellationDate == nil)
        #expect(entry.isTrialPeriod == false)
    }

    @Test(
        "Absent has three spellings",
        arguments: [[], [DER.ia5("")], [DER.utf8("")], [[]]] as [[[UInt8]]])
    func absent(values: [[UInt8]]) throws {
        let receipt = try Self.receipt(
            [0, 2, 12, 21].flatMap { type in
                values.map { Attribute(type: type, value: $0) }
            })
        #expect(receipt.receiptType == nil && receipt.environment == nil)
        #expect(receipt.bundleID == nil)
        #expect(receipt.creationDate == nil && receipt.expirationDate == nil)
        let entry = try Self.purchase(
            [1702, 1703, 1704, 1705, 1706, 1708, 1712].flatMap { type in
                values.map { Attribute(type: type, value: $0) }
            })
        #expect(entry.productID == nil && entry.originalTransactionID == nil)
        #expect(entry.expiresDate == nil && entry.cancellationDate == nil)
    }

    @Test("A web order line item id of 0 is absent")
    func noLineItem() throws {
        let entry = try Self.purchase([Attribute(type: 1711, value: DER.integer(0))])
        #expect(entry.webOrderLineItemID == nil)
    }

    @Test("An integer of 8 bytes keeps its value")
    func downloadID() throws {
        let receipt = try Self.receipt([
            Attribute(type: 15, value: DER.integer(504_427_454_456_956_077))
        ])
        #expect(receipt.attributes.first?.value == .integer(504_427_454_456_956_077))
    }

    @Test(
        "A text reads in every type of string",
        arguments: [DER.utf8("com.a"), DER.ia5("com.a"), DER.printable("com.a")])
    func strings(value: [UInt8]) throws {
        #expect(try Self.receipt([Attribute(type: 2, value: value)]).bundleID?.rawValue == "com.a")
    }

    @Test(
        "A date reads in every form that receipts have",
        arguments: [
            "2024-08-06T12:00:00Z", "2024-08-06T12:00:00.000Z", "2024-08-06T15:00:00+0300",
            "2024-08-06T15:00:00+03:00", "2024-08-06T05:00:00-0700",
        ])
    func dates(text: String) throws {
        #expect(
            try Self.receipt([Attribute(type: 12, value: DER.ia5(text))]).creationDate
                == Self.instant)
    }

    @Test("The year 4001, which Xcode writes, is no expiry")
    func endOfTime() throws {
        let value = DER.ia5("4001-01-01T03:00:00+0300")
        let receipt = try Self.receipt([Attribute(type: 21, value: value)])
        #expect(receipt.expirationDate == nil)
    }

    @Test("Xcode's entry without original ids is its own original")
    func firstPurchase() throws {
        let entry = try Self.purchase([
            Attribute(type: 1703, value: DER.utf8("0")),
            Attribute(type: 1704, value: DER.ia5(Self.date)),
        ])
        #expect(entry.originalTransactionID?.rawValue == "0")
        #expect(entry.originalPurchaseDate == Self.instant)
    }

    @Test(
        "The type's number is Apple's word, as far as it is known",
        arguments: [
            (0, ProductType.nonConsumable), (1, .consumable), (2, .nonRenewing),
            (3, .autoRenewable),
            (4, nil), (77, nil),
        ] as [(Int64, ProductType?)])
    func types(code: Int64, type: ProductType?) throws {
        let entry = try Self.purchase([Attribute(type: 1707, value: DER.integer(code))])
        #expect(entry.type == type && entry.productTypeCode == code)
    }

    @Test(
        "The environment follows from the receipt type",
        arguments: [
            ("Production", AppStoreEnvironment.production), ("ProductionVPP", .production),
            ("ProductionSandbox", .sandbox), ("ProductionVPPSandbox", .sandbox), ("Xcode", .xcode),
            ("Lunar", AppStoreEnvironment(rawValue: "Lunar")),
        ])
    func environments(type: String, environment: AppStoreEnvironment) throws {
        let receipt = try Self.receipt([Attribute(type: 0, value: DER.utf8(type))])
        #expect(receipt.environment == environment)
    }

    @Test("A known attribute that comes twice is refused", arguments: [0, 2, 5, 12, 25] as [Int64])
    func duplicates(type: Int64) {
        let twice = [Attribute](repeating: Attribute(type: type, value: DER.utf8("x")), count: 2)
        let error = #expect(throws: ReceiptPayloadError.self) { try Self.receipt(twice) }
        #expect(error?.place == "attribute \(type)" && error?.actual == "two")
    }

    @Test("A purchase's attribute that comes twice is refused and named")
    func duplicateInPurchase() {
        let twice = [Attribute](repeating: Attribute(type: 1703, value: DER.utf8("1")), count: 2)
        let error = #expect(throws: ReceiptPayloadError.self) { try Self.purchase(twice) }
        #expect(error?.place == "purchase 1, attribute 1703")
    }

    @Test(
        "A wrong form in an attribute about identity, money or time is refused",
        arguments: [
            (2, DER.integer(1)), (12, DER.ia5("yesterday")), (12, DER.integer(5)),
            (0, [0xFF]), (2, DER.utf8("a") + [0]),
        ] as [(Int64, [UInt8])])
    func wrongForms(type: Int64, value: [UInt8]) {
        let error = #expect(throws: ReceiptPayloadError.self) {
            try Self.receipt([Attribute(type: type, value: value)])
        }
        #expect(error?.place == "attribute \(type)")
    }

    @Test("A wrong form in an attribute that decides nothing reads as absent")
    func harmlessForms() throws {
        let receipt = try Self.receipt(
            [1, 3, 10, 18, 19].map { Attribute(type: $0, value: [0x05, 0x00]) })
        #expect(receipt.appItemID == nil && receipt.originalPurchaseDate == nil)
        #expect(receipt.attributes.count == 5)
    }

    @Test(
        "A payload of another structure is refused",
        arguments: [
            [], [0x31], DER.octetString(DER.set([])), DER.sequence(), DER.set([]) + [0, 0],
            DER.set([DER.integer(1)]), DER.set([DER.sequence(DER.integer(2))]),
            DER.set([DER.sequence(DER.integer(2), DER.integer(1), DER.octetString([]), DER.null)]),
        ] as [[UInt8]])
    func wrongStructure(payload: [UInt8]) {
        let error = #expect(throws: ReceiptPayloadError.self) { try AppReceipt(payload: payload) }
        #expect(error?.place == "payload")
    }

    @Test("A payload without attributes reads as a receipt of nothing")
    func empty() throws {
        let receipt = try AppReceipt(payload: DER.set([]))
        #expect(receipt.purchases.isEmpty && receipt.bundleID == nil)
    }
}
