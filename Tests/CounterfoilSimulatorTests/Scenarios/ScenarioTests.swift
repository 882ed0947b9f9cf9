// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilHTTP
import CounterfoilSimulator
import Synchronization
import Testing

/// A server that answers from a script and keeps what it was asked.
private final class ScriptedServer: ScenarioServer {
    struct State {
        var answers: [HTTPResponse?] = []
        var requests: [ScenarioRequest] = []
        var notificationCount = 0
    }

    let state = Mutex(State())

    init(_ answers: [HTTPResponse?]) {
        state.withLock { $0.answers = answers }
    }

    func answer(_ request: ScenarioRequest) async -> HTTPResponse? {
        state.withLock { state in
            state.requests.append(request)
            return state.answers.isEmpty ? nil : state.answers.removeFirst()
        }
    }

    func deliver(_ body: [UInt8]) async -> SendAttempt.Result {
        state.withLock { $0.notificationCount += 1 }
        return .success
    }
}

struct PlayingScenarios {
    private func play(
        _ text: String, on server: (any ScenarioServer)? = nil, names: [String: JSONValue] = [:]
    ) async throws -> ScenarioReport {
        let scenario = try Scenario(parsing: text.utf8)
        var runner = ScenarioRunner(
            app: try ServiceShop().app, server: server, names: names, pause: { _ in })
        return await runner.run(scenario)
    }

    @Test("Field case 64: buy, refund and reverse end to end, each notification on demand")
    func fieldCase64() async throws {
        let report = try await play(
            """
            {
              title: "Buy, ask for a refund, refund, reverse",
              steps: [
                { do: "account", with: { name: "u1" } },
                { do: "buy", with: { account: "u1", product: "coins" }, as: "purchase",
                  expect: { report: "purchased", signed_transaction: "$any" } },
                { notifications: ["ONE_TIME_CHARGE"] },
                { do: "request_refund", with: { transaction: "$purchase.transaction_id" } },
                { do: "refund", with: { transaction: "$purchase.transaction_id" },
                  expect: { transaction: { revocationType: "REFUND_FULL" } } },
                { do: "refund", with: { transaction: "$purchase.transaction_id" },
                  refused: "transaction.already_refunded" },
                { do: "reverse_refund", with: { transaction: "$purchase.transaction_id" } },
                { notifications: ["CONSUMPTION_REQUEST", "REFUND", "REFUND_REVERSED"] },
              ],
            }
            """)
        #expect(report.isSuccess, "\(report.text)")
        #expect(report.lines.count == 8)
    }

    @Test("A step that does not come out as expected ends the story and says where")
    func failure() async throws {
        let report = try await play(
            """
            { title: "Wrong", steps: [
              { do: "buy", with: { account: "alice", product: "coins", quantity: 2 },
                expect: { transaction: { quantity: 3, type: "Consumable" }, missing: 1 } },
              { do: "state" } ] }
            """)
        #expect(!report.isSuccess)
        #expect(report.lines.count == 1)
        #expect(
            report.lines.first?.differences == [
                "transaction.quantity is 2, expected 3", "missing is missing",
            ])
        #expect(report.text.contains("1 steps were not taken"))
        #expect(report.json["success"] == false)
    }

    @Test("A server is asked, told of what happens, and waited for")
    func server() async throws {
        let server = ScriptedServer([
            .json(["status": "pending"]), nil, .json(["status": "fulfilled", "n": [1, 2]]),
            HTTPResponse(status: 204),
        ])
        let report = try await play(
            """
            { title: "Server", steps: [
              { do: "buy", with: { account: "alice", product: "coins" }, as: "p" },
              { request: { method: "POST", path: "/v1/purchases?x=${p.product}",
                  headers: { "X-Key": "k ${key}" },
                  body: { signed_transaction: "$p.signed_transaction", id: "T-${p.transaction_id}" } },
                status: 200, within_seconds: 5, expect: { status: "fulfilled", n: [1, "$any"] },
                as: "answer" },
              { request: { path: "/v1/n/${answer.n.1}" }, status: 204 } ] }
            """, on: server, names: ["key": "secret"])
        #expect(report.isSuccess, "\(report.text)")
        let state = server.state.withLock { $0 }
        #expect(state.notificationCount == 1)
        #expect(
            state.requests.map(\.target) == [
                "/v1/purchases?x=coins", "/v1/purchases?x=coins", "/v1/purchases?x=coins",
                "/v1/n/2",
            ])
        let first = try #require(state.requests.first)
        #expect(first.headers["X-Key"] == "k secret")
        let body = try JSONValue(parsing: first.body)
        #expect(body["id"]?.string?.hasPrefix("T-2") == true)
        #expect(body["signed_transaction"]?.string?.split(separator: ".").count == 3)
    }

    @Test("Apple's services are asked as a backend would")
    func apple() async throws {
        let report = try await play(
            """
            { title: "Apple", steps: [
              { do: "buy", with: { account: "alice", product: "coins" } },
              { do: "receipt", with: { account: "alice" }, as: "r" },
              { apple: { method: "POST", path: "/production/verifyReceipt",
                  body: { "receipt-data": "$r.receipt_data" } },
                status: 200, expect: { status: 21007 } },
              { apple: { path: "/inApps/v1/transactions/1" }, status: 401 } ] }
            """)
        #expect(report.isSuccess, "\(report.text)")
    }

    static let faulty: [(String, String)] = [
        ("{", "line 1"), ("{}", "title is missing"),
        (#"{ title: "x", steps: [ {} ] }"#, "steps[0] must have one of"),
        (#"{ title: "x", steps: [ { do: "fly" } ] }"#, "steps[0].do is no verb"),
        (
            #"{ title: "x", steps: [ { do: "state", request: { path: "/" } } ] }"#,
            "steps[0] must have one of"
        ),
        (#"{ title: "x", steps: [ { do: "state", wait: 1 } ] }"#, "steps[0].wait is unknown"),
        (#"{ title: "x", steps: [ { request: {} } ] }"#, "steps[0].request.path is missing"),
        (#"{ title: "x", steps: [ { notifications: [1] } ] }"#, "steps[0].notifications"),
    ]

    @Test("A file that is no scenario is refused with line and path", arguments: faulty)
    func faults(text: String, fault: String) {
        #expect {
            _ = try Scenario(parsing: text.utf8)
        } throws: {
            ($0 as? ScenarioError)?.description.contains(fault) == true
        }
    }

    @Test("A reference to nothing fails its step")
    func references() async throws {
        let report = try await play(
            """
            { title: "x", steps: [
              { do: "finish", with: { transaction: "$nobody.transaction_id" } } ] }
            """)
        #expect(report.lines.first?.differences == ["nothing is called \"nobody\""])
    }
}
