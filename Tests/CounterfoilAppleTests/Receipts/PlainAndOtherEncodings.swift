// SPDX-License-Identifier: Apache-2.0

import CounterfoilApple
import CounterfoilCore
import CounterfoilSimulator
import CounterfoilTestSupport
import Testing

/// The fast reader takes plain encodings only; everything else must come out the same.
@Suite("Encodings of a receipt's payload")
struct PlainAndOtherEncodings {
    typealias Attribute = CounterfoilSimulator.ReceiptAttribute

    private static let purchases = (1...3).map { TestStore.purchase("\($0)") }

    /// The SET of attributes with every choice of the basic rules made in another way.
    private static func unusual(_ attributes: [Attribute]) -> [UInt8] {
        var content: [UInt8] = []
        for attribute in attributes {
            let isPurchase = attribute.type == 17
            let value = isPurchase ? unusual(purchaseAttributes(attribute)) : attribute.value
            let half = value.count / 2
            let pieces =
                DER.octetString(Array(value[..<half])) + DER.octetString(Array(value[half...]))
            content +=
                [0x30, 0x80] + DER.integer(attribute.type) + DER.integer(attribute.version)
                + [0x24, 0x80] + pieces + [0, 0] + [0, 0]
        }
        return [0x31, 0x80] + content + [0, 0]
    }

    private static func purchaseAttributes(_ attribute: Attribute) -> [Attribute] {
        let match = purchases.first { Attribute.encoded($0.receiptAttributes) == attribute.value }
        return match?.receiptAttributes ?? []
    }

    @Test("A receipt reads the same from indefinite lengths and values in pieces")
    func sameContent() throws {
        let source = TestStore.receipt(Self.purchases)
        let plain = try AppReceipt(
            payload: Attribute.encoded(source.attributes, isSorted: false))
        let other = try AppReceipt(payload: Self.unusual(source.attributes))
        #expect(
            Array(plain.purchases).map(\.transactionID)
                == Array(other.purchases).map(\.transactionID))
        #expect(plain.bundleID == other.bundleID && plain.creationDate == other.creationDate)
        #expect(plain.attributes.map(\.type) == other.attributes.map(\.type))
        #expect(plain.attributes.map(\.octets) == other.attributes.map(\.octets))
        // The plain one is sorted, the other in order of making.
        for (one, two) in zip(plain.purchases, other.purchases) {
            #expect(Set(one.attributes) == Set(two.attributes))
            #expect(one.attributes.count == two.attributes.count)
        }
    }

    @Test("Values of every length read, at the borders of the length's forms")
    func lengths() throws {
        for count in [0, 1, 107, 108, 116, 117, 118, 119, 127, 128, 200, 255, 256, 65_535, 70_000] {
            let octets = [UInt8](repeating: 0xA5, count: count)
            let types: [Int64] = [4, 127, 128, 255, 256, 1700, 32_767, 32_768, 9_000_000]
            let receipt = try AppReceipt(
                payload: Attribute.encoded(
                    types.map { Attribute(type: $0, value: octets) }, isSorted: false))
            #expect(receipt.attributes.map(\.type) == types)
            #expect(receipt.attributes.allSatisfy { Array($0.octets) == octets })
        }
    }

    @Test("No change of a byte makes the reader fail otherwise than with its error")
    func mutations() throws {
        let payload = Attribute.encoded(
            TestStore.receipt(Self.purchases).attributes, isSorted: false)
        let random = SeededRandom(seed: 17)
        for _ in 0..<3000 {
            var changed = payload
            for _ in 0...(random.next() % 3) {
                let place = Int(random.next() % UInt64(changed.count))
                changed[place] = UInt8(truncatingIfNeeded: random.next())
            }
            do throws(ReceiptPayloadError) {
                let receipt = try AppReceipt(payload: changed)
                for purchase in receipt.purchases { _ = purchase.attributes.map(\.value) }
            } catch {
                #expect(!error.place.isEmpty)
            }
        }
        for count in 0..<payload.count {
            #expect(throws: ReceiptPayloadError.self) { try AppReceipt(payload: payload[..<count]) }
        }
    }

    @Test("What the check lets pass reads completely")
    func checkAndValues() throws {
        let receipt = try AppReceipt(
            payload: Attribute.encoded(TestStore.receipt(Self.purchases).attributes))
        for purchase in receipt.purchases {
            #expect(purchase.productID != nil && purchase.transactionID != nil)
            #expect(purchase.purchaseDate != nil && purchase.quantity != nil)
        }
    }
}
