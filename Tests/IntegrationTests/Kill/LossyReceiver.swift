// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilTestSupport
import Foundation

/// A receiver that acts on each webhook once, by its id, and whose network loses requests and answers.
///
/// `@unchecked Sendable`: everything that changes is touched only with `condition` held.
final class LossyReceiver: @unchecked Sendable {
    struct Arrival {
        let id: String
        let customer: String
        let sequence: Int64
        let body: String
    }

    private let condition = NSCondition()
    private let random: SeededRandom
    private var log: [Arrival] = []
    private var known: [String: String] = [:]
    private var complaints: [String] = []
    private var requestCount = 0
    private var isLossy = true
    private var server: RawServer?

    init(seed: UInt64) throws {
        random = SeededRandom(seed: seed)
        server = try RawServer { [weak self] connection in
            while let request = connection.readRequest(), let self {
                guard answer(request, on: connection) else { break }
            }
        }
    }

    var port: UInt16 { server?.port ?? 0 }

    func stop() {
        server?.stop()
    }

    /// What it acted on, in its order.
    var acts: [Arrival] { condition.withLock { log } }

    /// What should never be.
    var findings: [String] { condition.withLock { complaints } }

    /// How many requests came, those included that it knew already.
    var requests: Int { condition.withLock { requestCount } }

    /// From now on nothing is lost.
    func mend() {
        condition.withLock { isLossy = false }
    }

    /// Waits until something arrives, or a quarter of a second.
    func awaitArrival() {
        condition.withLock { _ = condition.wait(until: Date(timeIntervalSinceNow: 0.25)) }
    }

    /// Says whether the connection lasts.
    private func answer(_ request: String, on connection: RawConnection) -> Bool {
        let luck = condition.withLock { isLossy ? random.next() % 10 : 9 }
        // Lost on its way here.
        if luck == 0 { return false }
        if luck == 1 { return connection.answer("", status: "500 Out of luck") }
        take(request)
        // Lost on its way back, after the act.
        if luck == 2 { return false }
        return connection.answer(#"{"result": "delivered"}"#)
    }

    private func take(_ request: String) {
        let parts = request.split(separator: "\r\n\r\n", maxSplits: 1)
        let body = parts.count > 1 ? String(parts[1]) : ""
        let id = parts[0].split(separator: "\r\n")
            .first { $0.lowercased().hasPrefix("webhook-id: ") }.map { String($0.dropFirst(12)) }
        let json = try? JSONValue(parsing: body.utf8)
        condition.withLock {
            defer { condition.broadcast() }
            requestCount += 1
            guard let id, let json, json["id"]?.string == id else {
                complaints.append("a request without the id of its event")
                return
            }
            if let earlier = known[id] {
                if earlier != body { complaints.append("\(id) came with two bodies") }
                return
            }
            known[id] = body
            log.append(
                Arrival(
                    id: id, customer: json["customer_id"]?.string ?? "",
                    sequence: json["sequence"]?.int64 ?? 0, body: body))
        }
    }
}
