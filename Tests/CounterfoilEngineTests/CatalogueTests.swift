// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import Testing

@testable import CounterfoilEngine

@Suite("Reading a catalogue")
struct ReadingCatalogue {
    private func read(_ text: String) throws -> Catalogue {
        try Catalogue(reading: Array(text.utf8))
    }

    private func faults(_ text: String) -> [String] {
        do {
            _ = try read(text)
            return []
        } catch let error as CatalogueError {
            return error.description.split(separator: "\n").map(String.init)
        } catch {
            return ["\(error)"]
        }
    }

    @Test("JSON5 is read, with prices beyond 32 bits: field case 2")
    func wellFormed() throws {
        let catalogue = try read(
            """
            // sold since May
            {
              units: [{ id: 'gems', kind: 'currency', held_by: 'counterfoil' }],
              products: [{
                id: 'gems10', type: 'consumable', group: 'g', level: 2,
                prices: { VNM: { amount_milli: 4999000000, currency: 'VND' } },
                texts: { en: 'Ten gems' },
                goods: [{ unit: 'gems', amount: 10, bonus: 1 }, { entitlement: 'fan' }],
              }],
            }
            """)
        let product = try #require(catalogue.products[ProductID("gems10")])
        #expect(product.prices["VNM"] == Money(amountMilli: 4_999_000_000, currency: "VND"))
        #expect(
            product.goods == [
                .unit(try UnitID("gems"), amount: 10, bonus: 1, holder: .counterfoil),
                .entitlement(try EntitlementID("fan"), duration: nil),
            ])
        for goods in product.goods { #expect(Goods(frozen: goods.json) == goods) }
        #expect(catalogue.version.count == 16)
    }

    @Test(
        "Every fault is named with line and path",
        arguments: [
            ("{", "line 1: "), ("{ products: [] , }", ""),
            ("{\n products: [{ id: 'a', type: 'x', goods: [] }] }", "line 2: products[0].type"),
            ("{ products: [{ type: 'consumable', goods: [] }] }", "products[0].id is missing"),
            (
                "{ products: [{ id: 'a', type: 'consumable',\n goods: [{ unit: 'u', amount: 1 }] }] }",
                "line 2: products[0].goods[0].unit names \"u\""
            ),
            (
                "{ products: [{ id: 'a', type: 'consumable', goods: [] },"
                    + "{ id: 'a', type: 'consumable', goods: [] }] }", "a second time"
            ),
            ("{ products: [], extra: 1 }", "extra is unknown"),
            (
                "{ products: [{ id: 'a', type: 'non_renewing', goods: [{ entitlement: 'e', duration: '30' }] }] }",
                "products[0].goods[0].duration"
            ),
            (
                "{ products: [{ id: 'a', type: 'consumable', goods: [{ entitlement: 'e' }, { entitlement: 'e' }] }] }",
                "names the entitlement e twice"
            ),
            (
                "{ products: [{ id: 'a', type: 'consumable', goods: [], prices: { USA: { amount_milli: 4.99, currency: 'usd' } } }] }",
                "products[0].prices.USA.amount_milli"
            ),
        ])
    func faulty(text: String, expected: String) {
        let found = faults(text)
        if expected.isEmpty {
            #expect(found.isEmpty, "\(found)")
        } else {
            #expect(found.contains { $0.contains(expected) }, "\(found)")
        }
    }

    @Test("All faults of a file are told at once")
    func severalFaults() {
        let found = faults("{ units: [{}], products: [{}] }")
        #expect(found.count >= 6, "\(found)")
    }
}

@Suite("P7: every answer is one of two")
struct EveryAnswerIsOneOfTwo {
    @Test("Only what is verified and decided may be finished")
    func consequences() {
        let finish = Reason.allCases.filter { $0.consequence.client == .finish }
        #expect(
            Set(finish) == [
                .ownedByAnotherCustomer, .revoked, .deliveredElsewhere, .unknownProduct,
                .unknownType, .typeMismatch, .subscriptionsNotServed, .needsOwnershipEvidence,
            ])
        for reason in Reason.allCases where reason.consequence.status == .pending {
            #expect(reason.consequence.client == .keep)
        }
    }
}
