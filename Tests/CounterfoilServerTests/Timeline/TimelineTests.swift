// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilDatabase
import CounterfoilHTTP
import CounterfoilSimulator
import CounterfoilTestSupport
import Testing

@testable import CounterfoilEngine
@testable import CounterfoilServer

@Suite("P8: everything can be explained", .onEveryDatabase)
struct EverythingCanBeExplained {
    @Test("A timeline has what was handed in and what was published, in order and in pages")
    func timeline() async throws {
        let server = try await GameServer()
        for number in 0..<3 {
            _ = try await server.submit(server.purchase("coins100", "T\(number)"))
            server.clock.advance(by: .seconds(1))
        }
        _ = try await server.post(
            "/v1/purchases", ["customer_id": "u1", "signed_transaction": "a.b.c"])
        _ = try await server.submit(server.purchase("coins100", "T9"), for: "u2")
        var kinds: [String] = []
        var times: [String] = []
        var after: String?
        repeat {
            let query = after.map { "&after=\($0)" } ?? ""
            let page = try await server.get("/v1/customers/u1/timeline?limit=2\(query)")
            for entry in page.json["entries"]?.array ?? [] {
                kinds.append(entry["kind"]?.string ?? "")
                times.append(entry["at"]?.string ?? "")
                if let submission = entry["submission"] {
                    #expect(submission["evidence_sha256"]?.string?.count == 64)
                    #expect(submission["customer_id"] == "u1")
                }
            }
            after = page.json["next"]?.string
        } while after != nil
        #expect(kinds.filter { $0 == "submission" }.count == 4)
        #expect(kinds.filter { $0 == "event" }.count == 3)
        #expect(times == times.sorted())
        #expect(try await server.get("/v1/customers/nobody/timeline").status == 404)
    }

    private func verdict(
        _ server: GameServer, _ customer: String = "u1"
    ) async throws -> JSONValue {
        try await server.get("/v1/customers/\(customer)/explain?entitlement=no_ads").json
    }

    @Test("A right is explained by the sale that gives it and the evidence that proves it")
    func active() async throws {
        let server = try await GameServer()
        _ = try await server.submit(server.purchase("noads", "T1"))
        let explained = try await verdict(server)
        #expect(explained["verdict"] == "active")
        let period = explained["periods"]?.array?.first
        #expect(period?["transaction_id"] == "T1")
        #expect(period?["owner_source"] == "claim")
        let evidence = period?["evidence"]?.array?.first
        #expect(evidence?["says"] == "identity")
        #expect(evidence?["sha256"]?.string?.count == 64)
        #expect(explained["products"] == ["noads"])
    }

    @Test("A right that is not there is explained by what was refused, or by its absence")
    func refused() async throws {
        let server = try await GameServer()
        _ = try await server.submit(server.purchase("noads", "T1"))
        #expect(
            try await server.submit(server.purchase("noads", "T1"), for: "u2").words
                == "rejected owned_by_another_customer finish")
        let explained = try await verdict(server, "u2")
        #expect(explained["verdict"] == "never_proven")
        let refusal = explained["refusals"]?.array?.first
        #expect(refusal?["reason"] == "owned_by_another_customer")
        #expect(refusal?["evidence_sha256"]?.string?.count == 64)
        _ = try await server.submit(server.purchase("coins100", "T2"), for: "u3")
        let other = try await verdict(server, "u3")
        #expect(other["verdict"] == "never_proven")
        #expect(other["refusals"]?.array?.isEmpty == true)
    }

    @Test("A purchase that waited is told as that while it waits, and no longer")
    func parkedOnce() async throws {
        let products = """
            { id: "noads", type: "non_consumable", goods: [{ entitlement: "no_ads" }] },
            { id: "adpass", type: "non_consumable", goods: [{ entitlement: "no_ads" }] }
            """
        let server = try await GameServer()
        var purchase = server.purchase("adpass", "T1")
        purchase.kind = .nonConsumable
        #expect(try await server.submit(purchase).words == "parked unknown_product finish")
        server.file.set("{ products: [\(products)] }")
        _ = try await server.post("/v1/catalogue/reload", [:])
        let waiting = try await verdict(server)
        #expect(waiting["verdict"] == "withheld")
        #expect(waiting["refusals"]?.array?.count == 1)
        try await server.engine.runDueJobs()
        let settled = try await verdict(server)
        #expect(settled["verdict"] == "active")
        #expect(settled["refusals"]?.array == [])
        var refunded = purchase
        refunded.revocation = .init(date: server.clock.now - .seconds(60))
        refunded.signedDate = server.clock.now
        _ = try await server.submit(refunded)
        let revoked = try await verdict(server)
        #expect(revoked["verdict"] == "revoked", "\(revoked.text)")
    }

    @Test("A right whose sale was taken back is revoked, with the day")
    func revoked() async throws {
        let server = try await GameServer()
        _ = try await server.submit(server.purchase("noads", "T1"))
        var refunded = server.purchase("noads", "T1")
        refunded.revocation = .init(date: server.clock.now - .seconds(60))
        refunded.signedDate = server.clock.now
        _ = try await server.submit(refunded)
        let explained = try await verdict(server)
        #expect(explained["verdict"] == "revoked", "\(explained.text)")
        let period = explained["periods"]?.array?.first
        #expect(period?["revoked"] == true)
        #expect(period?["revocation_date"]?.string != nil)
    }
}

@Suite("Many at once", .onEveryDatabase)
struct ManyAtOnce {
    private func evidence(_ purchase: SimulatedPurchase) throws -> JSONValue {
        ["signed_transaction": .string(try TestAuthority.shared.signedTransaction(purchase))]
    }

    @Test("Each piece of evidence of a restore has its own result, in its place")
    func results() async throws {
        let server = try await GameServer()
        let key = try await server.clientKey()
        _ = try await server.submit(server.purchase("noads", "T1"), for: "u1")
        let body: JSONValue = [
            "evidence": [
                try evidence(server.purchase("noads", "T1")),
                ["signed_transaction": "a.b.c"],
                try evidence(server.purchase("coins100", "T2")),
            ]
        ]
        let answer = try await server.post(
            "/v1/customers/u1/restore", body, key: key, headers: server.named("u1"))
        let results = answer.json["results"]?.array ?? []
        #expect(
            results.compactMap { $0["status"]?.string }
                == ["already_fulfilled", "rejected", "fulfilled"])
        #expect(results.compactMap { $0["client"]?.string } == ["finish", "keep", "finish"])
        let foreign = try await server.post(
            "/v1/customers/u2/restore", body, key: key, headers: server.named("u1"))
        #expect(foreign.status == 403)
        #expect(foreign.json["client"] == "keep")
    }

    @Test("Too many, none, and faults inside are refused with their place, and nothing is stored")
    func limits() async throws {
        let server = try await GameServer()
        let good = try evidence(server.purchase())
        let cases: [(JSONValue, String)] = [
            ([], "evidence"), (.array(Array(repeating: good, count: 51)), "evidence"),
            ([good, [:]], "evidence[1].signed_transaction"),
            (
                [good, ["signed_transaction": "a", "receipt_data": "b"]], "evidence[1].receipt_data"
            ),
            ([good, ["signed_transaction": "a", "surprise": 1]], "evidence[1].surprise"),
        ]
        for (evidence, path) in cases {
            let answer = try await server.post(
                "/v1/customers/u1/restore", ["evidence": evidence])
            #expect(answer.status == 400)
            #expect(answer.json["errors"]?.array?.first?["path"]?.string == path)
        }
        #expect(try await server.get("/v1/customers/u1").status == 404)
    }
}

@Suite("Requirement 001-13: statistics tell a restore from a new purchase", .onEveryDatabase)
struct StatisticsTellARestoreFromAPurchase {
    @Test("A catalogue that changes its mind does not change what was sold")
    func laterCatalogue() async throws {
        let server = try await GameServer()
        _ = try await server.submit(server.purchase("noads", "T1"))
        server.file.set(
            """
            { units: [{ id: "coins", kind: "currency", held_by: "counterfoil" }],
              products: [
                { id: "noads", type: "consumable", goods: [{ unit: "coins", amount: 1 }] } ] }
            """)
        #expect(try await server.post("/v1/catalogue/reload", [:]).json["changed"] == true)
        let view = try await server.get("/v1/transactions/T1")
        #expect(view.json["classification"] == "new")
    }

    @Test("By the signed ids and dates, whichever copy comes first")
    func classes() async throws {
        let server = try await GameServer()
        let bought = server.purchase("noads", "T1")
        var restored = server.purchase("noads", "T2")
        restored.originalTransactionID = "T1"
        restored.originalPurchaseDate = bought.purchaseDate
        restored.purchaseDate = server.clock.now - .seconds(60)
        var again = server.purchase("noads", "T3")
        again.originalTransactionID = "T1"
        again.originalPurchaseDate = bought.purchaseDate
        for purchase in [restored, again, bought, server.purchase("coins100", "T4")] {
            _ = try await server.submit(purchase)
        }
        for (id, name) in [
            ("T1", "new"), ("T2", "restore"), ("T3", "re_download"), ("T4", "new"),
        ] {
            let view = try await server.get("/v1/transactions/\(id)")
            #expect(view.json["classification"]?.string == name, "\(id)")
        }
    }
}
