// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilHTTP
import CounterfoilSimulator
import CounterfoilTestSupport
import Testing

@testable import CounterfoilServer

struct ABucketHoldsABurstAndFillsUp {
    private let now = Instant(secondsSinceEpoch: 1_800_000_000)
    private let rate = Rate(perSecond: 10, burst: 3)

    @Test("A burst goes through, then as many as the rate lets, and the pause says when")
    func burst() {
        let table = RateTable(limit: 10)
        for _ in 0..<3 { #expect(table.take(from: "a", rate, at: now) == nil) }
        #expect(table.take(from: "a", rate, at: now) == .milliseconds(100))
        #expect(table.take(from: "b", rate, at: now) == nil)
        #expect(table.take(from: "a", rate, at: now + .milliseconds(99)) == .milliseconds(1))
        #expect(table.take(from: "a", rate, at: now + .milliseconds(100)) == nil)
        #expect(table.take(from: "a", rate, at: now + .milliseconds(100)) != nil)
        for _ in 0..<3 { #expect(table.take(from: "a", rate, at: now + .seconds(9)) == nil) }
    }

    @Test("A clock that was set back leaves nobody waiting longer than a whole burst")
    func clockSetBack() {
        let table = RateTable(limit: 10)
        for _ in 0..<3 { _ = table.take(from: "a", rate, at: now) }
        let earlier = now - .seconds(86_400)
        let pause = table.take(from: "a", rate, at: earlier)
        #expect((pause ?? .zero) <= .milliseconds(300))
        #expect(table.take(from: "a", rate, at: earlier + .milliseconds(400)) == nil)
    }

    @Test("What is owed is paid before the next one, also more than a bucket holds")
    func debt() {
        let table = RateTable(limit: 10)
        #expect(table.take(from: "a", rate, at: now) == nil)
        table.owe(9, to: "a", rate)
        #expect(table.take(from: "a", rate, at: now) == .milliseconds(800))
        #expect(table.take(from: "a", rate, at: now + .milliseconds(799)) == .milliseconds(1))
        #expect(table.take(from: "a", rate, at: now + .milliseconds(800)) == nil)
        table.owe(9, to: "nobody", rate)
        #expect(table.take(from: "nobody", rate, at: now) == nil)
    }

    @Test("Full buckets make room; where there is none, newcomers are not limited")
    func manyNames() {
        let table = RateTable(limit: 100)
        for number in 0..<100 { _ = table.take(from: "\(number)", rate, at: now) }
        for _ in 0..<10 { #expect(table.take(from: "new", rate, at: now) == nil) }
        // The others are full again by then.
        let later = now + .seconds(2)
        for _ in 0..<3 { #expect(table.take(from: "new", rate, at: later) == nil) }
        #expect(table.take(from: "new", rate, at: later) != nil)
    }
}

struct ASenderIsWhoeverCannotHaveMoreAddresses {
    @Test(
        "IPv6 addresses of one /64 are one sender, IPv4 addresses are themselves",
        arguments: [
            ("192.0.2.7", "192.0.2.7"), ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2"),
            ("2001:db8::1", "2001:db8:0:0"), ("::1", "0:0:0:0"), ("fe80::", "fe80:0:0:0"),
            ("::ffff:192.0.2.7", "::ffff:192.0.2.7"),
        ])
    func names(_ address: String, _ name: String) {
        #expect(Network.name(of: address) == name)
    }

    @Test("Only a trusted proxy is believed, and only about the last one before it")
    func proxies() throws {
        let proxies = TrustedProxies(addresses: ["10.0.0.1", "10.0.0.2"])
        func address(_ remote: String, _ forwarded: String...) throws -> String {
            var headers = HTTPHeaders()
            for value in forwarded { headers.append("X-Forwarded-For", value) }
            let target = try #require(HTTPTarget("/"))
            return proxies.address(
                of: HTTPRequest(
                    method: .get, target: target, headers: headers, remoteAddress: remote))
        }
        #expect(try address("192.0.2.1", "198.51.100.1") == "192.0.2.1")
        #expect(try address("10.0.0.1") == "10.0.0.1")
        #expect(try address("10.0.0.1", "198.51.100.1") == "198.51.100.1")
        #expect(try address("10.0.0.1", "203.0.113.9, 198.51.100.1") == "198.51.100.1")
        #expect(try address("10.0.0.1", "203.0.113.9", "198.51.100.1, 10.0.0.2") == "198.51.100.1")
        #expect(try address("10.0.0.1", "2001:db8::1") == "2001:db8::1")
        #expect(try address("10.0.0.1", "nonsense") == "10.0.0.1")
    }
}

@Suite("Rate limits")
struct RateLimitsOfTheInterface {
    private static let rates = RateLimits(
        secretKey: Rate(perSecond: 1, burst: 3), clientAddress: Rate(perSecond: 1, burst: 4),
        customer: Rate(perSecond: 1, burst: 2))

    @Test("Whoever is too fast is told when to come again, and keeps the purchase")
    func tooFast() async throws {
        var server = try await GameServer(rates: Self.rates)
        server.address = "192.0.2.1"
        let key = try await server.clientKey()
        let token = try TestAuthority.shared.signedTransaction(server.purchase())
        let body: JSONValue = ["signed_transaction": .string(token)]
        for _ in 0..<2 {
            _ = try await server.get("/v1/customers/u1", key: key, headers: server.named("u1"))
        }
        let refused = try await server.post(
            "/v1/purchases", body, key: key, headers: server.named("u1"))
        #expect(refused.status == 429)
        #expect(refused.json["code"] == "rate.limited")
        #expect(refused.json["client"] == "keep")
        #expect(refused.headers["Retry-After"] == "1")
        // Another customer behind the same address, until the address has had enough as well.
        let other = try await server.get("/v1/customers/u2", key: key, headers: server.named("u2"))
        #expect(other.status == 404)
        let address = try await server.get(
            "/v1/customers/u3", key: key, headers: server.named("u3"))
        #expect(address.status == 429)
        server.clock.advance(by: .seconds(1))
        let again = try await server.post(
            "/v1/purchases", body, key: key, headers: server.named("u1"))
        #expect(again.words == "fulfilled finish")
        let counted = try await server.metrics().filter { $0.contains("rate_limited_total{") }
        #expect(counted.count == 2)
    }

    @Test("A restore counts as many as it hands in, and waits for what is beyond the burst")
    func restore() async throws {
        let rates = RateLimits(
            secretKey: nil, clientAddress: nil, customer: Rate(perSecond: 1, burst: 10))
        let server = try await GameServer(rates: rates)
        let key = try await server.clientKey()
        let piece: JSONValue = ["signed_transaction": "a.b.c"]
        func restore(_ count: Int) async throws -> GameServer.Answer {
            try await server.post(
                "/v1/customers/u1/restore",
                ["evidence": .array(Array(repeating: piece, count: count))], key: key,
                headers: server.named("u1"))
        }
        #expect(try await restore(50).status == 200)
        let refused = try await restore(1)
        #expect(refused.status == 429)
        #expect(refused.headers["Retry-After"] == "41")
        server.clock.advance(by: .seconds(40))
        #expect(try await restore(1).status == 429)
        server.clock.advance(by: .seconds(1))
        #expect(try await restore(50).status == 200)
        #expect(try await restore(1).headers["Retry-After"] == "50")
        server.clock.advance(by: .seconds(60))
        for _ in 0..<10 { #expect(try await restore(1).status == 200) }
        #expect(try await restore(1).status == 429)
    }

    @Test("Whoever tries keys that open nothing is stopped, and good keys beside it are not")
    func guesses() async throws {
        let rates = RateLimits(
            secretKey: nil, clientAddress: nil, customer: nil,
            failedKey: Rate(perSecond: 1, burst: 3))
        var server = try await GameServer(rates: rates)
        server.address = "192.0.2.1"
        for status in [401, 401, 401, 429] {
            let answer = try await server.get("/v1/events", key: "cfs_\(status)")
            #expect(answer.status == status)
        }
        let refused = try await server.get("/v1/events", key: "cfs_guess")
        #expect(refused.json["code"] == "rate.limited")
        #expect(refused.headers["Retry-After"] == "1")
        #expect(try await server.get("/v1/events").status == 200)
        server.address = "192.0.2.2"
        #expect(try await server.get("/v1/events", key: "cfs_guess").status == 401)
        server.address = "192.0.2.1"
        server.clock.advance(by: .seconds(1))
        #expect(try await server.get("/v1/events", key: "cfs_guess").status == 401)
    }

    @Test("A secret key has a limit of its own where one is set")
    func secretKey() async throws {
        let server = try await GameServer(rates: Self.rates)
        for status in [200, 200, 200, 429] {
            #expect(try await server.get("/v1/events").status == status)
        }
        let other = try await server.keys.create(for: AppID("game"), label: "other").text
        #expect(try await server.get("/v1/events", key: other).status == 200)
    }

    @Test("A proxy on this machine that is not trusted is not taken for one sender")
    func localProxy() async throws {
        let server = try await GameServer(rates: Self.rates)
        let key = try await server.clientKey()
        for number in 0..<10 {
            let id = "u\(number)"
            let answer = try await server.get(
                "/v1/customers/\(id)", key: key, headers: server.named(id))
            #expect(answer.status == 404)
        }
    }
}
