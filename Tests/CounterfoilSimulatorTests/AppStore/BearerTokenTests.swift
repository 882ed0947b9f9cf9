// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilHTTP
import CounterfoilSimulator
import Testing

struct RequestsWithTokens {
    private static let path = "/inApps/v1/notifications/test"

    typealias Change =
        @Sendable (inout [String: JSONValue], inout [String: JSONValue], Int64) -> Void

    static let refused: [(String, String, Change)] = [
        ("another algorithm", "alg", { head, _, _ in head["alg"] = "HS256" }),
        ("no algorithm", "alg", { head, _, _ in head["alg"] = "none" }),
        ("an unknown key", "kid", { head, _, _ in head["kid"] = "ZZZZZZZZZZ" }),
        ("another issuer", "iss", { _, claims, _ in claims["iss"] = "somebody" }),
        ("another audience", "aud", { _, claims, _ in claims["aud"] = "appstoreconnect-v2" }),
        ("another bundle", "bid", { _, claims, _ in claims["bid"] = "com.example.other" }),
        ("an issue date as text", "iat", { _, claims, _ in claims["iat"] = "now" }),
        ("no end", "exp", { _, claims, _ in claims["exp"] = nil }),
        (
            "an issue date one second ahead (field case 49)", "iat",
            { _, claims, now in claims["iat"] = .integer(now + 1) }
        ),
        ("an end that has passed", "exp", { _, claims, now in claims["exp"] = .integer(now) }),
        (
            "a life above sixty minutes", "exp",
            { _, claims, now in claims["exp"] = .integer(now + 3_601) }
        ),
    ]

    @Test("A token with a fault is answered by 401 without JSON", arguments: refused)
    func refusal(_ what: String, _ claim: String, _ change: Change) throws {
        var shop = try ServiceShop()
        let now = shop.app.store.now.millisecondsSinceEpoch / 1000
        let token = try shop.token { change(&$0, &$1, now) }
        let answer = try shop.serve(.post, Self.path, token: token)
        #expect(answer.response.status == 401)
        #expect(throws: JSONError.self) { try JSONValue(parsing: answer.response.body) }
        #expect(answer.refusal?.hasPrefix(claim) == true, "\(answer.refusal ?? "")")
    }

    @Test("A life of sixty minutes and an issue date in the past are taken")
    func good() throws {
        var shop = try ServiceShop()
        let now = shop.app.store.now.millisecondsSinceEpoch / 1000
        let token = try shop.token {
            $1["iat"] = .integer(now - 60)
            $1["exp"] = .integer(now + 3_540)
        }
        #expect(try shop.ask(.post, Self.path, token: token).status == 200)
    }

    @Test("A token without an issue date is taken, as one of Apple's libraries makes it")
    func noIssueDate() throws {
        var shop = try ServiceShop()
        let token = try shop.token { $1["iat"] = nil }
        #expect(try shop.ask(.post, Self.path, token: token).status == 200)
    }

    @Test("A signature of another key is refused")
    func signature() throws {
        var shop = try ServiceShop()
        let token = try shop.token()
        let cut = token.dropLast(4) + (token.hasSuffix("AAAA") ? "BBBB" : "AAAA")
        #expect(try shop.ask(.post, Self.path, token: String(cut)).status == 401)
        #expect(try shop.ask(.post, Self.path, token: "a.b").status == 401)
    }

    @Test("Tokens are judged by the caller's time where it differs from the store's")
    func callerTime() throws {
        var shop = try ServiceShop()
        shop.app.callerTime = shop.app.store.now + .seconds(86_400 * 365)
        #expect(try shop.ask(.post, Self.path).status == 200)
        let old = try shop.token { $1["exp"] = $1["iat"] }
        #expect(try shop.ask(.post, Self.path, token: old).status == 401)
    }

    @Test("Before its first release production answers 401 to everything, and sandbox does not")
    func unreleased() throws {
        var shop = try ServiceShop()
        shop.app.isReleased = false
        let id = try shop.buy("coins")
        let path = "inApps/v1/transactions/\(id)"
        #expect(try shop.ask(.get, "/production/\(path)").status == 401)
        #expect(try shop.ask(.get, "/sandbox/\(path)").status == 200)
    }

    @Test("A path or method that Apple does not have is 404 without JSON")
    func unknown() throws {
        var shop = try ServiceShop()
        for (method, path) in [
            (HTTPMethod.get, "/"), (.get, "/inApps/v1/transactions/"),
            (.post, "/inApps/v1/transactions/1"), (.get, "/inApps/v3/history/1"),
        ] {
            #expect(try shop.ask(method, path).status == 404)
        }
    }
}
