// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilCrypto
import CounterfoilHTTP
import CounterfoilSimulator
import CounterfoilTestSupport
import Testing

@testable import CounterfoilServer

extension GameServer {
    /// A notification of version 2 as Apple signs it.
    fileprivate func notification(
        _ type: String, _ uuid: String, about purchase: SimulatedPurchase?,
        bundleID: String = GameServer.bundleID, environment: JSONValue = "Production",
        signedBy authority: Authority? = nil
    ) throws -> JSONValue {
        let authority = try authority ?? TestAuthority.shared
        var data = JSONObject()
        data.append("bundleId", .string(bundleID))
        data.append("environment", environment)
        if let purchase {
            data.append(
                "signedTransactionInfo", .string(try authority.signedTransaction(purchase)))
        }
        let payload: JSONValue = [
            "notificationType": .string(type), "notificationUUID": .string(uuid),
            "version": "2.0", "signedDate": .integer(clock.now.millisecondsSinceEpoch),
            "data": .object(data),
        ]
        return ["signedPayload": .string(try authority.sign(payload))]
    }

    /// Sends it as Apple does: without a key.
    fileprivate func notify(_ body: JSONValue, app: String = "game") async throws -> Answer {
        try await post("/apple/\(app)/notifications", body, key: "")
    }

    fileprivate func coins(_ customer: String = "u1") async throws -> JSONValue? {
        try await get("/v1/customers/\(customer)").json["balances"]?.array?.first?["paid"]
    }
}

@Suite("Apple's notifications", .onEveryDatabase)
struct NotificationTests {
    @Test("A refund that Apple tells of takes the goods back, once for all copies")
    func refund() async throws {
        let server = try await GameServer()
        _ = try await server.submit(server.purchase())
        #expect(try await server.coins() == 100)
        var refunded = server.purchase()
        refunded.revocation = .init(date: server.clock.now - .seconds(60))
        refunded.signedDate = server.clock.now
        let body = try server.notification("REFUND", "N1", about: refunded)
        for _ in 0..<2 {
            let answer = try await server.notify(body)
            #expect(answer.status == 200, "\(answer.json.text)")
        }
        #expect(try await server.coins() == 0)
        let list = try await server.get("/v1/notifications")
        let listed = list.json["notifications"]?.array ?? []
        #expect(listed.count == 1, "\(list.json.text)")
        #expect(listed.first?["notification_uuid"] == "N1")
        #expect(listed.first?["type"] == "REFUND")
        #expect(listed.first?["copies"] == 2)
        #expect(listed.first?["transaction_id"] == "T1")
    }

    @Test("A purchase that only Apple tells of is delivered to whom its token names")
    func token() async throws {
        let server = try await GameServer()
        let made = try await server.post("/v1/customers/u1/tokens", [:])
        var purchase = server.purchase()
        purchase.appAccountToken = made.json["token"]?.string.flatMap { UniqueID($0) }
        #expect(purchase.appAccountToken != nil)
        let body = try server.notification("ONE_TIME_CHARGE", "N1", about: purchase)
        #expect(try await server.notify(body).status == 200)
        #expect(try await server.coins() == 100)
    }

    @Test(
        "What has nothing to settle is kept and answered with 200, unknown types too",
        arguments: ["TEST", "SOMETHING_NEW"])
    func withoutTransaction(type: String) async throws {
        let server = try await GameServer()
        #expect(try await server.notify(server.notification(type, "N1", about: nil)).status == 200)
        let listed = try await server.get("/v1/notifications").json["notifications"]?.array
        #expect(listed?.first?["type"]?.string == type)
    }

    @Test(
        "What another authority signed, or is about another app, is refused, kept, and does nothing"
    )
    func foreign() async throws {
        let server = try await GameServer()
        _ = try await server.submit(server.purchase())
        var refunded = server.purchase()
        refunded.revocation = .init(date: server.clock.now - .seconds(60))
        refunded.signedDate = server.clock.now
        let stranger = try Authority(clock: TestAuthority.clock, random: SystemRandom())
        let forged = try await server.notify(
            server.notification("REFUND", "N1", about: refunded, signedBy: stranger))
        #expect(forged.status == 400)
        #expect(forged.json["code"] == "notification.unproven")
        let other = try await server.notify(
            server.notification("TEST", "N2", about: nil, bundleID: "com.example.other"))
        #expect(other.status == 400)
        #expect(other.json["code"] == "notification.other_app")
        #expect(try await server.coins() == 100)
        #expect(try await server.get("/v1/notifications").json["notifications"] == [])
        let lines = try await server.metrics()
        #expect(lines.contains { $0.contains("untrusted_root") && $0.hasSuffix(" 1") })
        #expect(lines.contains { $0.contains("other_bundle") && $0.hasSuffix(" 1") })
    }

    @Test("One from an environment that nobody configured is refused, so that Apple sends it again")
    func unconfiguredEnvironment() async throws {
        let server = try await GameServer()
        let answer = try await server.notify(
            server.notification("TEST", "N1", about: nil, environment: "Moon"))
        #expect(answer.status == 400)
        #expect(answer.json["code"] == "notification.other_environment")
    }

    @Test("Bodies that are none, too large or for no app are refused by name")
    func bodies() async throws {
        let server = try await GameServer()
        let unknown = try await server.notify(["signedPayload": "a.b.c"], app: "other")
        #expect(unknown.status == 404)
        for body in [[:], ["signedPayload": 1], ["responseBody": "x"]] as [JSONValue] {
            let answer = try await server.notify(body)
            #expect(answer.status == 400)
            #expect(answer.json["code"] == "notification.malformed")
        }
        let huge = String(repeating: "a", count: Limits.notificationByteCount)
        let answer = try await server.notify(["signedPayload": .string(huge)])
        #expect(answer.status == 413)
        let torn = try await server.notify(["signedPayload": "e30.e30"])
        #expect(torn.json["code"] == "notification.unproven")
    }

    @Test("The list goes on from page to page, the last one first")
    func pages() async throws {
        let server = try await GameServer()
        for number in 0..<5 {
            server.clock.advance(by: .seconds(1))
            _ = try await server.notify(server.notification("TEST", "N\(number)", about: nil))
        }
        var seen: [String] = []
        var path = "/v1/notifications?limit=2"
        while true {
            let page = try await server.get(path).json
            seen +=
                page["notifications"]?.array?.compactMap { $0["notification_uuid"]?.string } ?? []
            guard let next = page["next"]?.string else { break }
            path = "/v1/notifications?limit=2&after=\(next)"
        }
        #expect(seen == ["N4", "N3", "N2", "N1", "N0"])
    }
}
