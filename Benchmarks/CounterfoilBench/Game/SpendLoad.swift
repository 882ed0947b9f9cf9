// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore

/// Spending from wallets, each request with an `Idempotency-Key` of its own.
struct SpendLoad {
    static let name = "spend"

    private static let steps: [(clients: Int, spends: Int)] = [(1, 100), (16, 800), (64, 1_600)]
    private static let rounds = 5
    private static let customers = 100

    private(set) var results: [GameResult]

    init(in installation: Installation, progress: (String) -> Void) throws {
        let key = try installation.makeSecretKey(database: "spends")
        let server = try installation.server(database: "spends")
        let credits = (0..<Self.customers).map { customer in
            JSONRequest.bytes(
                "/v1/customers/player-\(customer)/credit", key: key,
                ["unit": "coins", "amount": 1_000_000, "reason": "benchmark"])
        }
        _ = try LoadClients(4, port: server.port).send(credits[...], accepting: Self.isDone)
        var spent = 0
        func measure(_ clients: Int, _ count: Int) throws -> GameRound {
            let requests = (spent..<(spent + count)).map { index in
                JSONRequest.bytes(
                    "/v1/customers/player-\(index % Self.customers)/spend", key: key,
                    idempotencyKey: "spend-\(index)",
                    ["unit": "coins", "amount": 1, "reason": "benchmark"])
            }
            spent += count
            let connections = try LoadClients(clients, port: server.port)
            let before = try server.usage()
            let exchanges = try connections.send(requests[...], accepting: Self.isDone)
            return GameRound(
                count: count, usage: try server.usage() - before,
                times: exchanges.map(\.seconds))
        }
        results = Self.steps.map { GameResult(clients: $0.clients) }
        _ = try measure(16, 200)
        for round in 0..<Self.rounds {
            progress("\(Self.name): round \(round + 1) of \(Self.rounds)")
            for (index, step) in Self.steps.enumerated() {
                results[index].rounds.append(try measure(step.clients, step.spends))
            }
        }
        try server.stop()
    }

    private static func isDone(_ answer: [UInt8]) -> Bool {
        JSONRequest.answer(answer, status: 200) != nil
    }
}
