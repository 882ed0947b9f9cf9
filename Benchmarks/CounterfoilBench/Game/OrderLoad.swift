// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilHTTPServer
import CounterfoilSimulator
import Glibc

/// The whole way of a sale: an order, its payment handed in, its goods at the game server by webhook.
struct OrderLoad {
    static let name = "order to webhook"

    private static let steps: [(clients: Int, orders: Int)] = [(1, 60), (16, 320), (64, 640)]
    private static let rounds = 5

    private(set) var results: [GameResult]

    init(in installation: Installation, progress: (String) -> Void) throws {
        let key = try installation.makeSecretKey(database: "orders")
        let server = try installation.server(database: "orders")
        let receiver = WebhookReceiver()
        let game = HTTPServer(
            configuration: HTTPServerConfiguration(address: "127.0.0.1", port: 0),
            handler: receiver)
        let port = try game.start()
        let endpoint = JSONRequest.bytes(
            "/v1/endpoints", key: key,
            ["url": .string("http://127.0.0.1:\(port)/hooks"), "concurrency": 64])
        _ = try LoadClients(1, port: server.port).send([endpoint]) {
            JSONRequest.answer($0, status: 201) != nil
        }
        results = Self.steps.map { GameResult(clients: $0.clients) }
        var sale = Sale(installation: installation, key: key, server: server, receiver: receiver)
        _ = try sale.round(clients: 16, count: 160)
        for round in 0..<Self.rounds {
            progress("\(Self.name): round \(round + 1) of \(Self.rounds)")
            for (index, step) in Self.steps.enumerated() {
                results[index].rounds.append(
                    try sale.round(clients: step.clients, count: step.orders))
            }
        }
        try server.stop()
        try waiting { await game.stop(gracePeriod: .seconds(1)) }
    }
}

/// Makes orders, pays them, and waits for their webhooks.
private struct Sale {
    let installation: Installation
    let key: String
    let server: ServerProcess
    let receiver: WebhookReceiver
    private var sold = 0

    init(
        installation: Installation, key: String, server: ServerProcess, receiver: WebhookReceiver
    ) {
        self.installation = installation
        self.key = key
        self.server = server
        self.receiver = receiver
    }

    mutating func round(clients: Int, count: Int) throws -> GameRound {
        let connections = try LoadClients(clients, port: server.port)
        let first = sold
        sold += count
        let orders = (first..<sold).map { index in
            JSONRequest.bytes(
                "/v1/orders", key: key, idempotencyKey: "order-\(index)",
                [
                    "customer_id": .string("player-\(index / 4)"),
                    "product_id": .string(Installation.productID),
                ])
        }
        var tokens = [String](repeating: "", count: count)
        let before = try server.usage()
        var made: [String] = []
        let ordering = try connections.send(orders[...]) { answer in
            let token = JSONRequest.answer(answer, status: 201)?["app_account_token"]?.string
            made.append(token ?? "")
            return token != nil
        }
        let ordered = try server.usage() - before
        for (exchange, token) in zip(ordering, made) { tokens[exchange.request] = token }
        // The store signs, so this is in nobody's time.
        let payments = try tokens.enumerated().map { try payment(first + $0, token: $1) }
        let middle = try server.usage()
        let paying = try connections.send(
            payments[...], accepting: PurchaseMaterial.isFulfilled)
        try receiver.wait(for: sold)
        let paid = try server.usage() - middle
        let times = paying.compactMap { exchange in
            receiver.arrival(of: Self.transactionID(first + exchange.request)).map {
                $0 - exchange.sentAt
            }
        }
        return GameRound(
            count: count,
            usage: Usage(
                seconds: ordered.seconds + paid.seconds,
                processorSeconds: ordered.processorSeconds + paid.processorSeconds,
                bytesWritten: ordered.bytesWritten + paid.bytesWritten),
            times: times)
    }

    private func payment(_ index: Int, token: String) throws -> [UInt8] {
        var purchase = SimulatedPurchase(
            environment: .production, bundleID: Material.bundleID,
            transactionID: Self.transactionID(index), productID: Installation.productID,
            kind: .consumable, purchaseDate: installation.now)
        purchase.price = Money(amountMilli: 990, currency: "USD")
        purchase.appAccountToken = UniqueID(token)
        return JSONRequest.bytes(
            "/v1/purchases", key: key,
            [
                "customer_id": .string("player-\(index / 4)"),
                "signed_transaction": .string(
                    try installation.authority.signedTransaction(purchase)),
            ])
    }

    private static func transactionID(_ index: Int) -> String {
        String(3_000_000_000_000_000 + index)
    }
}
