// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilCrypto
import CounterfoilHTTP
import CounterfoilSimulator
import CounterfoilTestSupport
import Synchronization
import Testing

@testable import counterfoil

/// A network with one server on it, which counts.
private final class CountingTransport: HTTPTransport {
    private let state = Mutex<(statuses: [Int], count: Int)>(([], 0))

    var count: Int { state.withLock { $0.count } }

    func answer(with statuses: [Int]) { state.withLock { $0.statuses = statuses } }

    func send(
        _ request: OutgoingRequest, deadline: Duration
    ) async throws(HTTPTransportError) -> HTTPResponse {
        let status = state.withLock { state in
            state.count += 1
            return state.statuses.isEmpty ? 200 : state.statuses.removeFirst()
        }
        guard status > 0 else { throw HTTPTransportError(.timeout, "nothing came", wasSent: true) }
        return HTTPResponse(status: status)
    }
}

struct SimulatedStoreOverHTTP {
    private let transport = CountingTransport()
    private let host: AppStoreHost
    private let waits = Waits()

    private final class Waits: Sendable {
        private let durations = Mutex<[Duration]>([])
        var all: [Duration] { durations.withLock { $0 } }
        func add(_ duration: Duration) { durations.withLock { $0.append(duration) } }
    }

    init() throws {
        let random = SeededRandom(seed: 3)
        let catalog = try StoreCatalog(products: [
            StoreProduct(id: "coins", kind: .consumable, priceMilli: 990)
        ])
        let store = SimulatedStore(
            catalog: catalog,
            settings: StoreSettings(bundleID: "com.example.game", environment: .production),
            now: TestAuthority.clock.now, random: random)
        let app = SimulatedAppStore(
            store: store, authority: try TestAuthority.shared, random: random)
        host = AppStoreHost(
            app: app,
            courier: NotificationCourier(
                url: "http://127.0.0.1:1/n", transport: transport, log: { _ in }),
            clock: TestAuthority.clock, isRealTime: false, pause: { [waits] in waits.add($0) },
            log: { _ in })
    }

    private func call(
        _ path: String, _ body: JSONValue, headers: HTTPHeaders = HTTPHeaders()
    ) async throws -> HTTPResponse {
        await host.respond(
            to: HTTPRequest(
                method: .post, target: try #require(HTTPTarget(path)), headers: headers,
                body: body.utf8, remoteAddress: "127.0.0.1"))
    }

    @Test("A verb is answered after its notifications were sent")
    func delivery() async throws {
        #expect(try await call("/control/account", ["name": "alice"]).status == 200)
        let bought = try await call("/control/buy", ["account": "alice", "product": "coins"])
        #expect(bought.status == 200)
        #expect(transport.count == 1)
    }

    @Test("Moving the clock makes every try at its moment")
    func resending() async throws {
        transport.answer(with: [500, 0, 404, 302, 503, 500])
        _ = try await call("/control/account", ["name": "alice"])
        _ = try await call("/control/buy", ["account": "alice", "product": "coins"])
        _ = try await call("/control/advance", ["by": "P30D"])
        #expect(transport.count == 6)
        let response = try await call("/control/notifications", [:])
        let attempts = try JSONValue(parsing: response.body)["notifications"]?.array?.first?[
            "attempts"]?.array
        #expect(attempts?.count == 6)
        #expect(attempts?[1]["result"] == "TIMED_OUT")
    }

    @Test("Web pages are refused, whatever they ask")
    func pages() async throws {
        let headers: HTTPHeaders = ["Origin": "https://example.com"]
        for path in ["/control/state", "/verifyReceipt"] {
            #expect(try await call(path, [:], headers: headers).status == 403)
        }
    }

    @Test("Late and lost answers make the caller wait")
    func latency() async throws {
        _ = try await call("/control/fail", ["kind": "latency", "milliseconds": 1500, "count": 1])
        #expect(try await call("/verifyReceipt", [:]).status == 200)
        #expect(waits.all == [.milliseconds(1500)])
        _ = try await call("/control/fail", ["kind": "timeout", "count": 1])
        _ = try await call("/verifyReceipt", [:])
        #expect(waits.all.count == 2)
    }
}
