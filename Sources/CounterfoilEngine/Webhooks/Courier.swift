// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilDatabase
package import CounterfoilHTTP
import CounterfoilStore
import Synchronization

/// Sends published events to the endpoints that want them.
///
/// An endpoint is one server's at a time, by a lease with a fencing number; so its rate, its number of
/// requests and the order of each customer's events hold over all servers. Whatever happens, an event
/// is sent at least once, and its id is the same each time.
package final class Courier: Sendable {
    let engine: Engine
    let transport: any HTTPTransport

    /// Where events may be sent to.
    package let rules: WebhookRules

    private let timeout: Duration

    /// Told whenever a visit met an error; the next one goes on.
    private let onTrouble: @Sendable (any Error) -> Void

    private struct State: Sendable {
        var visits: Set<UniqueID> = []
        var isStopping = false
    }

    private let state = Mutex(State())

    /// - Parameter timeout: How long a receiver may take.
    package init(
        engine: Engine, transport: any HTTPTransport, rules: WebhookRules,
        timeout: Duration = Limits.webhookTimeout,
        onTrouble: @escaping @Sendable (any Error) -> Void = { _ in }
    ) {
        self.engine = engine
        self.transport = transport
        self.rules = rules
        self.timeout = timeout
        self.onTrouble = onTrouble
    }

    /// Serves endpoints side by side whenever somebody rings; returns when the rings have ended and
    /// the last visit is over.
    ///
    /// - Parameter bell: Rings; called after a visit, since something may have come meanwhile.
    package func run(
        _ rings: AsyncStream<Void>, bell: @escaping @Sendable () -> Void
    ) async {
        await takeOver()
        await withDiscardingTaskGroup { group in
            for await _ in rings {
                do {
                    for id in try await endpointsWithWork() where begin(id) {
                        group.addTask {
                            let count = await self.visitAndReport(id)
                            if count > 0 { bell() }
                        }
                    }
                } catch {
                    onTrouble(error)
                }
            }
        }
    }

    /// A database with one writer has one server, so whoever else held an endpoint is dead; where there
    /// may be others, their leases have to run out.
    private func takeOver() async {
        guard !engine.numbersEventsApart else { return }
        do {
            try await engine.database.write { try $0.releaseAllEndpoints() }
        } catch {
            onTrouble(error)
        }
    }

    /// Serves every endpoint that has something to send, one behind the other, until none has.
    ///
    /// - Returns: How many requests were made.
    @discardableResult
    package func serveAll() async throws -> Int {
        var count = 0
        while true {
            var served = 0
            for id in try await endpointsWithWork() where begin(id) {
                defer { end(id) }
                served += try await visit(id)
            }
            if served == 0 { return count }
            count += served
        }
    }

    /// Begins nothing new; what is under way goes on.
    package func stop() {
        state.withLock { $0.isStopping = true }
    }

    private func endpointsWithWork() async throws -> [UniqueID] {
        let limit = Limits.visitsPerRound
        return try await engine.database.read { try $0.endpointsWithWork(limit: limit) }
    }

    private func begin(_ id: UniqueID) -> Bool {
        state.withLock { state in
            !state.isStopping && state.visits.count < Int(Limits.visitsPerRound)
                && state.visits.insert(id).inserted
        }
    }

    private func end(_ id: UniqueID) {
        state.withLock { _ = $0.visits.remove(id) }
    }

    private var isStopping: Bool { state.withLock { $0.isStopping } }

    private func visitAndReport(_ id: UniqueID) async -> Int {
        defer { end(id) }
        do {
            return try await visit(id)
        } catch {
            onTrouble(error)
            return 0
        }
    }

    /// Serves one endpoint until nothing of it is due.
    private func visit(_ id: UniqueID) async throws -> Int {
        let lease = Limits.endpointLease
        let claim = try await engine.database.write { transaction in
            try transaction.claimEndpoint(id, for: lease)
        }
        guard let claim else { return 0 }
        let count: Int
        do {
            count = try await serve(claim)
        } catch is Engine.EndpointLost {
            return 0
        }
        try await engine.database.write { try $0.release(claim) }
        return count
    }

    /// Keeps as many requests under way as the endpoint allows.
    private func serve(_ claim: EndpointClaim) async throws -> Int {
        let endpoint = try await engine.database.read { try $0.endpoint(claim.endpointID) }
        let capacity = Int(endpoint?.concurrency ?? 1)
        let desk = Desk()
        return try await withThrowingTaskGroup(of: Void.self) { group in
            var (running, count) = (0, 0)
            while true {
                let reports = desk.collect()
                running -= reports.count
                if !reports.isEmpty { try await engine.settle(claim, reports) }
                if !isStopping {
                    let hasMore = try await engine.fanOut(claim)
                    for consignment in try await engine.take(claim, limit: capacity - running) {
                        running += 1
                        count += 1
                        group.addTask { desk.put(await self.send(consignment)) }
                    }
                    if hasMore, running < capacity { continue }
                }
                if running == 0 { return count }
                _ = try await group.next()
            }
        }
    }

    /// One attempt.
    private func send(_ consignment: Consignment) async -> ConsignmentReport {
        let sentAt = engine.clock.now
        let verdict = await verdict(
            on: consignment.endpoint, id: consignment.delivery.eventID, body: consignment.body,
            isReplay: consignment.delivery.isReplay, at: sentAt)
        return ConsignmentReport(
            consignment: consignment, sentAt: sentAt, duration: engine.clock.now.since(sentAt),
            verdict: verdict)
    }

    func verdict(
        on endpoint: EndpointRecord, id: UniqueID, body: [UInt8], isReplay: Bool, at now: Instant
    ) async -> DeliveryVerdict {
        // The operator may have changed the rules since the endpoint was made.
        guard rules.problem(withURL: endpoint.url) == nil,
            let request = try? OutgoingRequest(
                to: endpoint, id: id, body: body, isReplay: isReplay, at: now)
        else { return .addressNotAllowed }
        do throws(HTTPTransportError) {
            let response = try await transport.send(request, deadline: timeout)
            return DeliveryVerdict(response, now: engine.clock.now)
        } catch {
            return DeliveryVerdict(error)
        }
    }
}

/// Where attempts that ended wait for whoever writes them down.
private final class Desk: Sendable {
    private let reports = Mutex<[ConsignmentReport]>([])

    func put(_ report: ConsignmentReport) {
        reports.withLock { $0.append(report) }
    }

    func collect() -> [ConsignmentReport] {
        reports.withLock { reports in
            defer { reports = [] }
            return reports
        }
    }
}
