// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilHTTP
import CounterfoilHTTPClient
import CounterfoilTestSupport
import Synchronization
import Testing

@testable import CounterfoilEngine
@testable import CounterfoilServer

/// A receiver on a real socket that does not behave, and what comes of the first attempt.
struct BadReceiver: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let error: String
    var status: Int64?
    let script: RawServer.Script

    static let all: [BadReceiver] = [
        BadReceiver(testDescription: "hangs", error: "transport.timeout") { connection in
            _ = connection.readRequest()
            connection.awaitClose()
        },
        BadReceiver(testDescription: "answers 200 too late", error: "transport.timeout") {
            connection in
            _ = connection.readRequest()
            connection.awaitClose()
            connection.answer("")
        },
        BadReceiver(testDescription: "begins an answer and hangs", error: "transport.timeout") {
            connection in
            _ = connection.readRequest()
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nx")
            connection.awaitClose()
        },
        BadReceiver(testDescription: "floods the body", error: "transport.too_large") {
            connection in
            _ = connection.readRequest()
            connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
            let chunk = String(repeating: "x", count: 16 << 10)
            while connection.send("4000\r\n\(chunk)\r\n") {}
        },
        BadReceiver(testDescription: "floods the head", error: "transport.too_large") {
            connection in
            _ = connection.readRequest()
            connection.send("HTTP/1.1 200 OK\r\n")
            while connection.send("X-More: \(String(repeating: "x", count: 1000))\r\n") {}
        },
        BadReceiver(testDescription: "announces too much", error: "transport.too_large") {
            connection in
            _ = connection.readRequest()
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n")
            connection.awaitClose()
        },
        BadReceiver(testDescription: "closes in the middle", error: "transport.interrupted") {
            connection in
            _ = connection.readRequest()
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc")
        },
        BadReceiver(testDescription: "closes without a word", error: "transport.interrupted") {
            connection in
            _ = connection.readRequest()
        },
        BadReceiver(testDescription: "speaks another language", error: "transport.protocol") {
            connection in
            connection.send("220 mail.example ESMTP\r\n")
            connection.awaitClose()
        },
        BadReceiver(
            testDescription: "redirects to an inner address", error: "webhook.redirected",
            status: 307
        ) { connection in
            _ = connection.readRequest()
            connection.answer(
                "", status: "307 Elsewhere",
                headers: "Location: http://169.254.169.254/latest/meta-data\r\n")
        },
        BadReceiver(testDescription: "is gone", error: "webhook.gone", status: 410) { connection in
            _ = connection.readRequest()
            connection.answer("", status: "410 Gone")
        },
    ]
}

@Suite("Receivers that do not behave", .onEveryDatabase)
struct ReceiversThatDoNotBehave {
    private func server(
        on port: UInt16, host: String = "127.0.0.1", allowing range: String = "127.0.0.1"
    ) async throws -> (server: GameServer, client: HTTPClient) {
        let rules = WebhookRules(
            plainHosts: ["127.0.0.1", "localhost"],
            allowing: [try #require(IPAddressRange(range))])
        var configuration = HTTPClientConfiguration()
        configuration.addresses = rules.addresses
        let client = try HTTPClient(configuration: configuration)
        let server = try await GameServer(
            transport: client, webhooks: rules, webhookTimeout: .milliseconds(700))
        let made = try await server.post(
            "/v1/endpoints", ["url": .string("http://\(host):\(port)/hooks")])
        #expect(made.status == 201, "\(made.json.text)")
        return (server, client)
    }

    @Test("The attempt fails with its reason, and the event stays", arguments: BadReceiver.all)
    func first(_ bad: BadReceiver) async throws {
        let receiver = try RawServer(bad.script)
        defer { receiver.stop() }
        let (server, client) = try await server(on: receiver.port)
        _ = try await server.submit(server.purchase())
        try await server.engine.numberEvents()
        try await server.courier.serveAll()
        let waiting = try await server.get("/v1/deliveries?state=waiting")
        let delivery = try #require(
            waiting.json["deliveries"]?.array?.first { $0["type"] == "purchase.fulfilled" })
        #expect(delivery["last_attempt"]?["error"]?.string == bad.error)
        #expect(delivery["last_attempt"]?["status"]?.int64 == bad.status)
        #expect(try await server.get("/v1/grants").json["grants"]?.array?.count == 1)
        await client.close(gracePeriod: .zero)
    }

    @Test("What comes after a late answer has the same id, and the player has the goods once")
    func late() async throws {
        let ids = Mutex<[String]>([])
        let receiver = try RawServer { connection in
            guard let request = connection.readRequest() else { return }
            let field = request.split(separator: "\r\n").first {
                $0.lowercased().hasPrefix("webhook-id: ")
            }
            let count = ids.withLock { ids in
                ids.append(String(field?.dropFirst(12) ?? ""))
                return ids.count
            }
            if count == 1 { connection.awaitClose() }
            connection.answer("{\"result\": \"delivered\"}")
        }
        defer { receiver.stop() }
        let (server, client) = try await server(on: receiver.port)
        _ = try await server.submit(server.purchase())
        try await server.engine.numberEvents()
        try await server.courier.serveAll()
        _ = try await server.post(
            "/v1/deliveries/replay", ["all_failed_since": "2020-01-01T00:00:00Z"])
        try await server.courier.serveAll()
        let seen = ids.withLock { $0 }
        #expect(seen.count == 2 && Set(seen).count == 1 && UniqueID(seen[0]) != nil)
        let delivered = try await server.get("/v1/grants?state=delivered")
        #expect(delivered.json["grants"]?.array?.count == 1)
        await client.close(gracePeriod: .zero)
    }

    @Test("A name that leads to an inner address is not connected to, though it was taken")
    func innerName() async throws {
        let receiver = try RawServer { connection in
            _ = connection.readRequest()
            connection.answer("")
        }
        defer { receiver.stop() }
        let (server, client) = try await server(
            on: receiver.port, host: "localhost", allowing: "127.0.0.99")
        _ = try await server.submit(server.purchase())
        try await server.engine.numberEvents()
        try await server.courier.serveAll()
        let waiting = try await server.get("/v1/deliveries?state=waiting")
        let error = waiting.json["deliveries"]?.array?.first?["last_attempt"]?["error"]
        #expect(error == "transport.address_refused")
        #expect(receiver.connectionCount == 0)
        await client.close(gracePeriod: .zero)
    }
}
