// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilDatabase
import CounterfoilHTTP
import CounterfoilSimulator
import CounterfoilStore
import CounterfoilTestSupport
import Testing

@testable import CounterfoilEngine
@testable import CounterfoilServer

@Suite("The catalogue for apps", .onEveryDatabase)
struct TheCatalogueForApps {
    private static let catalogue = """
        {
          units: [{ id: "coins", kind: "currency", held_by: "counterfoil" }],
          products: [
            { id: "b", type: "non_consumable", goods: [{ entitlement: "no_ads" }],
              prices: { USA: { amount_milli: 4990, currency: "USD" } },
              texts: { en: { period: "for ever" } } },
            { id: "a", type: "consumable", goods: [{ unit: "coins", amount: 100 }] },
            { id: "c", type: "auto_renewable", goods: [{ entitlement: "vip" }] },
          ],
        }
        """

    @Test("An app sees its products with prices and texts, in pages, and without a customer")
    func products() async throws {
        let server = try await GameServer(catalogue: Self.catalogue)
        let key = try await server.clientKey()
        let page = try await server.get("/v1/products?limit=2", key: key)
        let products = page.json["products"]?.array ?? []
        #expect(products.compactMap { $0["product_id"]?.string } == ["a", "b"])
        #expect(products[1]["prices"]?["USA"]?["amount_milli"] == 4990)
        #expect(products[1]["texts"]?["en"]?["period"] == "for ever")
        #expect(page.json["next"] == "b")
        let rest = try await server.get("/v1/products?limit=2&after=b", key: key)
        #expect(rest.json["products"]?.array?.first?["product_id"] == "c")
        #expect(rest.json["next"] == .null)
    }

    @Test("Products stand in the studio's order, and one that is not active is not offered: 001-01")
    func orderAndActivity() async throws {
        func product(_ id: String, _ more: String) -> String {
            """
            { id: "\(id)", type: "consumable", goods: [{ unit: "coins", amount: 1 }], \(more) }
            """
        }
        let products = [
            product("a", "sort_order: 2"), product("b", ""), product("c", "active: false"),
            product("d", "sort_order: -1, active: true"), product("e", "sort_order: 2"),
        ].joined(separator: ",")
        let server = try await GameServer(
            catalogue: """
                { units: [{ id: "coins", kind: "currency", held_by: "counterfoil" }],
                  products: [\(products)] }
                """)
        var listed: [String] = []
        var after = ""
        repeat {
            let page = try await server.get("/v1/products?limit=1\(after)")
            listed += (page.json["products"]?.array ?? []).compactMap { $0["product_id"]?.string }
            after = page.json["next"]?.string.map { "&after=\($0)" } ?? ""
        } while !after.isEmpty
        #expect(listed == ["d", "b", "a", "e"])
        let order = try await server.post(
            "/v1/orders", ["customer_id": "u1", "product_id": "c"])
        #expect(order.status == 422)
        #expect(order.json["code"] == "order.inactive_product")
        let advice = try await server.get("/v1/customers/u1/can-purchase?product=c")
        #expect(advice.json["reasons"] == ["inactive_product"])
        #expect(try await server.submit(server.purchase("c")).words == "fulfilled finish")
        server.file.set(#"{ products: [{ id: "x", type: "consumable", active: 1, goods: [] }] }"#)
        #expect(try await server.post("/v1/catalogue/reload", [:]).status == 422)
    }

    @Test("What the store did not know is noted once a minute, counted each time, and listed")
    func reports() async throws {
        let server = try await GameServer(catalogue: Self.catalogue)
        let key = try await server.clientKey()
        for _ in 0..<2 {
            let answer = try await server.post(
                "/v1/products/report", ["product_ids": ["b", "zzz"]], key: key)
            #expect(answer.json["noted"] == 2)
            server.clock.advance(by: .seconds(59))
        }
        var reports = try await server.get("/v1/products/reports").json["reports"]?.array ?? []
        #expect(reports.compactMap { $0["product_id"]?.string } == ["b", "zzz"])
        #expect(reports.compactMap { $0["in_catalogue"]?.bool } == [true, false])
        #expect(reports[0]["first_at"] == reports[0]["last_at"])
        server.clock.advance(by: .seconds(1))
        _ = try await server.post("/v1/products/report", ["product_ids": ["b"]], key: key)
        reports = try await server.get("/v1/products/reports?limit=1").json["reports"]?.array ?? []
        #expect(reports.count == 1)
        #expect(reports[0]["first_at"] != reports[0]["last_at"])
        let counted = try await server.metrics().filter { $0.contains("reported_products_total{") }
        #expect(counted.contains { $0.contains(#"in_catalogue="yes"} 3"#) }, "\(counted)")
        #expect(try await server.get("/v1/products/reports", key: key).status == 403)
    }

    @Test("Made-up ids crowd out the oldest of their kind, and never a product of the catalogue")
    func madeUpReports() async throws {
        let server = try await GameServer(catalogue: Self.catalogue)
        let key = try await server.clientKey()
        func report(_ ids: [String]) async throws {
            let ids = JSONValue.array(ids.map { .string($0) })
            let answer = try await server.post(
                "/v1/products/report", ["product_ids": ids], key: key)
            #expect(answer.status == 200)
            server.clock.advance(by: .seconds(60))
        }
        try await report(["a", "first"])
        for part in 0..<5 { try await report((0..<200).map { "made-up-\(part)-\($0)" }) }
        try await report(["b", "genuine"])
        let kept = try await server.engine.database.read { transaction in
            try transaction.reportedProducts(AppID("game")).map(\.rawValue)
        }
        #expect(kept.count == 1002, "a thousand, and the catalogue's two")
        for id in ["a", "b", "genuine", "made-up-4-199"] { #expect(kept.contains(id), "\(id)") }
        #expect(!kept.contains("first"))
    }

    @Test("Everybody's reports fill a list of a thousand ids and no more")
    func floodOfReports() async throws {
        let server = try await GameServer(catalogue: Self.catalogue)
        for part in 0..<6 {
            let ids = (0..<200).map { JSONValue.string("p\(part * 200 + $0)") }
            _ = try await server.post("/v1/products/report", ["product_ids": .array(ids)])
        }
        let kept = try await server.engine.productReports(
            of: AppID("game"), after: nil, limit: 500)
        #expect(kept.count == 500)
        let count = try await server.engine.database.read { transaction in
            try transaction.row("SELECT COUNT(*) FROM product_reports")?.integer(0)
        }
        #expect(count == 1000)
    }

    @Test("A non-consumable that gives units only is owned as well, until it is taken back")
    func ownedPack() async throws {
        let server = try await GameServer(
            catalogue: """
                { units: [{ id: "coins", kind: "currency", held_by: "counterfoil" }],
                  products: [
                    { id: "pack", type: "non_consumable", goods: [{ unit: "coins", amount: 9 }] } ] }
                """)
        func reasons(_ customer: String) async throws -> JSONValue? {
            try await server.get("/v1/customers/\(customer)/can-purchase?product=pack")
                .json["reasons"]
        }
        #expect(try await reasons("u1") == [])
        var purchase = server.purchase("pack", "T1")
        purchase.kind = .nonConsumable
        #expect(try await server.submit(purchase).words == "fulfilled finish")
        #expect(try await reasons("u1") == ["already_owned"])
        #expect(try await reasons("u2") == [])
        purchase.revocation = .init(date: server.clock.now - .seconds(60))
        purchase.signedDate = server.clock.now
        _ = try await server.submit(purchase)
        #expect(try await reasons("u1") == [])
    }

    @Test("A customer with as many open orders as may be, and what is held back, are told before")
    func limitAndHold() async throws {
        let server = try await GameServer(catalogue: Self.catalogue)
        func reasons(_ customer: String, _ product: String) async throws -> JSONValue? {
            try await server.get("/v1/customers/\(customer)/can-purchase?product=\(product)")
                .json["reasons"]
        }
        let order: JSONValue = ["customer_id": "u1", "product_id": "a"]
        for _ in 0..<100 { _ = try await server.post("/v1/orders", order) }
        #expect(try await reasons("u1", "a") == ["order_limit"])
        #expect(try await reasons("u2", "a") == [])
        _ = try await server.post("/v1/deliveries/holds", ["product_id": "b"])
        #expect(try await reasons("u2", "b") == ["delivery_held"])
        #expect(try await reasons("u2", "a") == [])
        _ = try await server.post("/v1/deliveries/holds", [:])
        #expect(try await reasons("u1", "a") == ["order_limit", "delivery_held"])
    }

    @Test("Before a purchase the app hears what stands in its way")
    func canPurchase() async throws {
        let server = try await GameServer(catalogue: Self.catalogue)
        let key = try await server.clientKey()
        func reasons(_ query: String, _ customer: String = "u1") async throws -> [String] {
            let answer = try await server.get(
                "/v1/customers/\(customer)/can-purchase?product=\(query)", key: key,
                headers: server.named(customer))
            #expect(answer.status == 200)
            let reasons = (answer.json["reasons"]?.array ?? []).compactMap(\.string)
            #expect(answer.json["can_purchase"] == .bool(reasons.isEmpty))
            return reasons
        }
        #expect(try await reasons("a") == [])
        #expect(try await reasons("b") == [])
        #expect(try await reasons("c") == ["subscriptions_not_served"])
        #expect(try await reasons("d") == ["unknown_product"])
        var purchase = server.purchase("b", "T1")
        purchase.kind = .nonConsumable
        #expect(try await server.submit(purchase, for: "u1").words == "fulfilled finish")
        #expect(try await reasons("b") == ["already_owned"])
        #expect(try await reasons("b&environment=Sandbox") == [])
        #expect(try await reasons("b", "u2") == [])
        let nameless = try await server.get("/v1/customers/u1/can-purchase")
        #expect(nameless.status == 400)
        #expect(nameless.json["errors"]?.array?.first?["path"] == "product")
    }
}

@Suite("A catalogue that is read again", .onEveryDatabase)
struct ACatalogueThatIsReadAgain {
    private static func catalogue(_ products: String) -> String {
        """
        { units: [{ id: "coins", kind: "currency", held_by: "counterfoil" }],
          products: [\(products)] }
        """
    }

    private static let gems =
        #"{ id: "gems", type: "consumable", goods: [{ unit: "coins", amount: 7 }] }"#

    @Test("A product that it brings delivers what had parked for it, without a restart")
    func parked() async throws {
        let server = try await GameServer(catalogue: Self.catalogue(""))
        #expect(
            try await server.submit(server.purchase("gems")).words
                == "parked unknown_product finish")
        server.file.set(Self.catalogue(Self.gems))
        let answer = try await server.post("/v1/catalogue/reload", [:])
        #expect(answer.json["changed"] == true)
        #expect(answer.json["products"] == 1)
        try await server.engine.runDueJobs()
        let view = try await server.get("/v1/customers/u1")
        #expect(view.json["balances"]?.array?.first?["paid"] == 7)
        #expect(try await server.post("/v1/catalogue/reload", [:]).json["changed"] == false)
    }

    @Test("One with a fault never takes the place of a good one, and each fault is named")
    func faults() async throws {
        let server = try await GameServer(catalogue: Self.catalogue(Self.gems))
        for text in [
            "{", "{}", Self.catalogue(Self.gems + "," + Self.gems),
            Self.catalogue(#"{ id: "x", type: "consumable", goods: [{ unit: "?", amount: 1 }] }"#),
        ] {
            server.file.set(text)
            let answer = try await server.post("/v1/catalogue/reload", [:])
            #expect(answer.status == 422)
            #expect(answer.json["code"] == "catalogue.invalid")
            #expect(answer.json["detail"]?.string?.contains("catalog.json:") == true)
        }
        #expect(try await server.submit(server.purchase("gems")).words == "fulfilled finish")
    }
}
