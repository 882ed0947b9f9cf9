// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilHTTP
import CounterfoilSimulator
import Testing

extension ServiceShop {
    /// A call of the test's side.
    mutating func control(
        _ verb: String, _ body: JSONValue = [:], status: Int = 200
    ) throws -> JSONValue {
        let response = app.answerControl(
            HTTPRequest(
                method: .post, target: try #require(HTTPTarget("/control/\(verb)")),
                body: body.utf8, remoteAddress: "127.0.0.1"))
        let answer = try JSONValue(parsing: response.body)
        #expect(response.status == status, "\(verb): \(answer.text)")
        return answer
    }
}

struct ControllingTheStore {
    @Test("A story is told by calls alone")
    func story() throws {
        var shop = try ServiceShop()
        _ = try shop.control("account", ["name": "bob", "storefront": "JPN"])
        _ = try shop.control("family", ["members": ["alice", "bob"]])
        let bought = try shop.control(
            "buy", ["account": "bob", "product": "coins", "quantity": 2])
        #expect(bought["report"] == "purchased")
        #expect(bought["transaction"]?["currency"] == "JPY")
        _ = try shop.payload(bought["signed_transaction"])
        let id = try #require(bought["transaction_id"])
        _ = try shop.control("request_refund", ["transaction": id])
        let refunded = try shop.control(
            "refund", ["transaction": id, "percentage_milli": 50_000])
        #expect(refunded["transaction"]?["revocationPercentage"] == 50_000)
        let reversed = try shop.control("reverse_refund", ["transaction": id])
        #expect(reversed["transaction"]?["revocationDate"] == nil)
        let names = try shop.control("notifications", ["account": "bob"])["notifications"]?.array
        #expect(
            names?.map { $0["name"] } == [
                "ONE_TIME_CHARGE", "CONSUMPTION_REQUEST", "REFUND", "REFUND_REVERSED",
            ])
    }

    @Test("Ask to Buy waits until a parent decides")
    func askToBuy() throws {
        var shop = try ServiceShop()
        let asked = try shop.control(
            "buy", ["account": "alice", "product": "coins", "ask_to_buy": true])
        #expect(asked["report"] == "pending")
        #expect(asked["transaction_id"] == nil)
        let pending = try #require(asked["pending"])
        #expect(try shop.control("pending")["pending"]?.array?.count == 1)
        let approved = try shop.control("approve", ["pending": pending])
        #expect(approved["transaction_id"] != nil)
        let again = try shop.control("decline", ["pending": pending], status: 404)
        #expect(again["code"] == "purchase.unknown")
    }

    @Test("The clock is moved by a stretch or to a moment, and subscriptions live on the way")
    func clock() throws {
        var shop = try ServiceShop()
        let gold = try shop.control("buy", ["account": "alice", "product": "silver"])
        let before = try #require(try shop.control("state")["now"]?.string)
        let after = try shop.control("advance", ["by": "P2M"])
        #expect(after["transactions"] == 3)
        let back = try shop.control("advance", ["to": .string(before)], status: 409)
        #expect(back["code"] == "clock.backwards")
        #expect(back["allowed"]?.array?.isEmpty == false)
        let standing = try shop.control(
            "subscription", ["transaction": gold["transaction_id"] ?? .null])
        #expect(standing["status"] == 1)
    }

    @Test("Services are made to fail, and heal")
    func faults() throws {
        var shop = try ServiceShop()
        _ = try shop.control(
            "fail",
            [
                "kind": "receipt_status", "receipt_status": 21_005, "retryable": true,
                "endpoint": "verify_receipt", "count": 1,
            ])
        let failed = try shop.json(.post, "/verifyReceipt", [:])
        #expect(failed == ["status": 21_005, "is-retryable": true])
        #expect(try shop.json(.post, "/verifyReceipt", [:])["status"] == 21_002)
        #expect(try shop.control("fail", ["kind": "timeout"])["faults"] == 1)
        #expect(try shop.control("clear_faults")["faults"] == 0)
    }

    @Test("A certificate fault shows in what is signed, until it is taken back")
    func certificates() throws {
        var shop = try ServiceShop()
        _ = try shop.control("certificate_fault", ["fault": "leaf-expired"])
        let bad = try shop.control("buy", ["account": "alice", "product": "coins"])
        #expect(throws: (any Error).self) { try shop.payload(bad["signed_transaction"]) }
        _ = try shop.control("certificate_fault")
        let good = try shop.control("buy", ["account": "alice", "product": "coins"])
        _ = try shop.payload(good["signed_transaction"])
        _ = try shop.control("rotate", ["what": "intermediate"])
        let rotated = try shop.control("buy", ["account": "alice", "product": "coins"])
        _ = try shop.payload(rotated["signed_transaction"])
    }

    @Test("A clock that is off dates what is signed, and nothing else")
    func skew() throws {
        var shop = try ServiceShop()
        let now = shop.app.store.now
        _ = try shop.control("skew", ["seconds": 34])
        let bought = try shop.control("buy", ["account": "alice", "product": "coins"])
        #expect(
            bought["transaction"]?["signedDate"]
                == .integer((now + .seconds(34)).millisecondsSinceEpoch))
        #expect(
            bought["transaction"]?["purchaseDate"] == .integer(now.millisecondsSinceEpoch))
    }
}

struct WrongControlCalls {
    static let calls: [(String, JSONValue, Int, String)] = [
        ("by", [:], 404, "control.verb_unknown"),
        ("buy", ["account": "alice"], 400, "control.malformed"),
        ("buy", ["account": "alice", "product": "coins", "amount": 2], 400, "control.malformed"),
        ("buy", ["account": "alice", "product": "coins", "quantity": 0], 400, "control.malformed"),
        ("buy", ["account": "carol", "product": "coins"], 404, "account.unknown"),
        ("buy", ["account": "alice", "product": "stones"], 404, "product.unknown"),
        (
            "buy", ["account": "alice", "product": "unlock", "quantity": 2], 409,
            "purchase.quantity"
        ),
        (
            "buy",
            ["account": "alice", "product": "coins", "offer": ["type": "promotional"]], 400,
            "control.malformed"
        ),
        (
            "buy",
            [
                "account": "alice", "product": "silver",
                "offer": ["type": "promotional", "id": "none"],
            ], 404, "offer.unknown"
        ),
        ("account", ["name": "alice"], 409, "account.exists"),
        ("account", ["name": "dave", "storefront": "XXX"], 422, "control.value"),
        ("refund", ["transaction": "17"], 404, "transaction.unknown"),
        ("advance", [:], 422, "control.value"),
        ("advance", ["by": "P1M", "to": "2027-01-01T00:00:00Z"], 422, "control.value"),
        ("set_time_rate", ["rate": 14], 422, "control.value"),
        ("settings", ["grace_days": 5], 422, "control.value"),
        ("set_billing", [:], 422, "control.value"),
        ("fail", ["kind": "explosion"], 400, "control.malformed"),
        ("rotate", ["what": "root"], 400, "control.malformed"),
    ]

    @Test("A wrong call gets 4xx with the reason, and changes nothing", arguments: calls)
    func call(verb: String, body: JSONValue, status: Int, code: String) throws {
        var shop = try ServiceShop()
        let before = shop.app.stateJSON
        let answer = try shop.control(verb, body, status: status)
        #expect(answer["code"]?.string == code)
        #expect(answer["message"]?.string?.isEmpty == false)
        #expect(shop.app.stateJSON == before)
    }

    @Test("A refusal says what would be allowed")
    func allowed() throws {
        var shop = try ServiceShop()
        let product = try shop.control(
            "buy", ["account": "alice", "product": "stones"], status: 404)
        #expect(product["allowed"]?.array?.contains("coins") == true)
        let rate = try shop.control("set_time_rate", ["rate": 14], status: 422)
        #expect(rate["allowed"]?.array?.contains("13") == true)
        let verb = try shop.control("by", status: 404)
        #expect(verb["allowed"]?.array?.contains("buy") == true)
    }

    @Test("Verbs are listed, called by POST and with JSON only")
    func form() throws {
        var shop = try ServiceShop()
        func answer(_ method: HTTPMethod, _ path: String, _ body: String = "") throws -> Int {
            shop.app.answerControl(
                HTTPRequest(
                    method: method, target: try #require(HTTPTarget(path)),
                    body: Array(body.utf8), remoteAddress: "127.0.0.1")
            ).status
        }
        #expect(try answer(.get, "/control") == 200)
        #expect(try answer(.get, "/control/state") == 405)
        #expect(try answer(.post, "/control/state/more") == 404)
        #expect(try answer(.post, "/control/state", "{") == 400)
        #expect(try answer(.post, "/control/state", "[]") == 400)
        let names = ControlVerb.all.map(\.name)
        #expect(Set(names).count == names.count)
    }
}
