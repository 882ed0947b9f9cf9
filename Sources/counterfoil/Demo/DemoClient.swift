// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilHTTP

/// The demo's game server: it talks to the interface as a studio's own would.
struct DemoClient: Sendable {
    /// An answer to a purchase.
    struct Answer: Sendable, CustomStringConvertible {
        let json: JSONValue

        func said(_ status: String, _ reason: String? = nil, client: String) -> Bool {
            json["status"]?.string == status && json["reason"]?.string == reason
                && json["client"]?.string == client
        }

        var description: String {
            ["status", "reason", "client"].compactMap { json[$0]?.string }.joined(separator: ", ")
        }
    }

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Requests on their way at the same time.
    private static let parallelCount = 50

    let address: String
    let key: String
    let transport: any HTTPTransport

    func purchase(_ body: JSONValue) async throws -> Answer {
        Answer(json: try await send(.post, "/v1/purchases", body))
    }

    /// Hands all in, many at the same time; the answers are in the order of the bodies.
    func purchases(_ bodies: [JSONValue]) async throws -> [Answer] {
        try await withThrowingTaskGroup(of: (Int, Answer).self) { group in
            var answers: [Int: Answer] = [:]
            for (index, body) in bodies.enumerated() {
                if index >= Self.parallelCount, let (done, answer) = try await group.next() {
                    answers[done] = answer
                }
                group.addTask { (index, try await purchase(body)) }
            }
            for try await (done, answer) in group { answers[done] = answer }
            return bodies.indices.compactMap { answers[$0] }
        }
    }

    func coins(of customer: String) async throws -> Int64 {
        let balance = try await balance(of: customer)
        return (balance?["paid"]?.int64 ?? 0) + (balance?["bonus"]?.int64 ?? 0)
    }

    /// Coins that a refund found spent.
    func debt(of customer: String) async throws -> Int64 {
        try await balance(of: customer)?["debt"]?.int64 ?? 0
    }

    private func balance(of customer: String) async throws -> JSONValue? {
        let view = try await send(.get, "/v1/customers/\(customer)", nil)
        return view["balances"]?.array?.first { $0["unit"] == "coins" }
    }

    /// Whether the server answers and its database does.
    func isReady() async -> Bool {
        do {
            return try await send(.get, "/readyz", nil)["status"] == "ready"
        } catch {
            return false
        }
    }

    func send(_ method: HTTPMethod, _ path: String, _ body: JSONValue?) async throws -> JSONValue {
        var headers: HTTPHeaders = ["Authorization": "Bearer \(key)"]
        if body != nil { headers["Content-Type"] = "application/json" }
        let request = OutgoingRequest(
            method: method, url: address + path, headers: headers, body: body?.utf8 ?? [])
        let response = try await transport.send(request, deadline: .seconds(30))
        let json = try JSONValue(parsing: response.body)
        guard (200...299).contains(response.status) else {
            throw Failure(description: "\(method) \(path): \(response.status) \(json.text)")
        }
        return json
    }
}
