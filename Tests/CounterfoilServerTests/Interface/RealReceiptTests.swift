// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilEngine
import CounterfoilTestSupport
import CounterfoilTrust
import Testing

@Suite("Receipts that Apple signed", .onEveryDatabase)
struct ReceiptsThatAppleSigned {
    private static let folder = "receipts"
    private static let names = OutsideVectors.names(in: folder, ending: ".b64")
        .filter { $0.hasPrefix("sandbox-") }

    @Test("The outside receipts are there, or it is said how many cases are skipped")
    func present() throws {
        try OutsideVectors.require(18, of: "ReceiptsThatAppleSigned")
    }

    @Test("A claimed purchase of a real sandbox receipt is fulfilled once", arguments: names)
    func fulfilled(name: String) async throws {
        let expected = try JSONValue(
            parsing: OutsideVectors.bytes("\(Self.folder)/\(name).expected.json"))
        let receipt = try #require(expected["receipt"])
        let purchases = receipt["in_app"]?.array ?? []
        let server = try await GameServer(
            bundleID: receipt["bundle_id"]?.string ?? "", catalogue: Self.catalogue(of: purchases),
            trust: .apple, deliverFrom: Instant(millisecondsSinceEpoch: 0))
        let body = { (claim: String) -> JSONValue in
            [
                "customer_id": "u1", "transaction_id": .string(claim),
                "receipt_data": .string(try OutsideVectors.text("\(Self.folder)/\(name).b64")),
            ]
        }
        guard let claimed = purchases.first(where: { Self.type(of: $0) != "auto_renewable" }) else {
            let claim = purchases.first?["transaction_id"]?.string
            let answer = try await server.post("/v1/purchases", try body(claim ?? "1"))
            let held = "parked subscriptions_not_served finish"
            #expect(answer.words == (claim == nil ? "pending not_in_evidence keep" : held))
            return
        }
        let claim = try #require(claimed["transaction_id"]?.string)
        let first = try await server.post("/v1/purchases", try body(claim))
        #expect(first.words == "fulfilled finish")
        #expect(first.json["environment"] == "Sandbox")
        try await server.engine.runDueJobs()
        let second = try await server.post("/v1/purchases", try body(claim))
        #expect(second.words == "already_fulfilled finish")
        let events = try await server.get("/v1/events?limit=500")
        let fulfilled = events.json["events"]?.array?.filter {
            $0["type"] == "purchase.fulfilled" && $0["data"]?["transaction_id"]?.string == claim
        }
        #expect(fulfilled?.count == 1)
        #expect(try await server.get("/v1/customers/u1").json["balances"]?.array?.isEmpty == true)
    }

    private static func type(of purchase: JSONValue) -> String {
        switch purchase["product_type_code"]?.int64 {
        case 0: "non_consumable"
        case 2: "non_renewing"
        case 3: "auto_renewable"
        default: "consumable"
        }
    }

    /// Every product of the receipt, with a right as its goods.
    private static func catalogue(of purchases: [JSONValue]) -> String {
        var types: [String: String] = [:]
        for purchase in purchases {
            types[purchase["product_id"]?.string ?? ""] = type(of: purchase)
        }
        let products = types.sorted { $0.key < $1.key }.map { id, type -> JSONValue in
            [
                "id": .string(id), "type": .string(type),
                "goods": [["entitlement": "right", "duration": "P30D"]],
            ]
        }
        return JSONValue.object(
            JSONObject([.init(key: "products", value: .array(products))])
        ).text
    }
}
