// SPDX-License-Identifier: Apache-2.0
import CounterfoilTestSupport
import Foundation

/// Many clients that hand in purchases, each purchase several times at once, until every one of
/// them was answered; a server that dies in between is waited for.
///
/// `@unchecked Sendable`: `next` is touched only with `lock` held, the rest is constant.
final class PurchaseLoad: @unchecked Sendable {
    /// Connections at the same time.
    static let clients = 50

    /// How often each purchase is handed in. The copies stand side by side, so that several
    /// clients have the same sale in hand.
    static let copies = 3

    /// Failures in a row, with the server up, after which a client gives up.
    static let patience = 100

    private let servers: [ServerUnderTest]
    private let log: ClientLog
    private let purchases: [Purchase]
    private let afterAnswer: @Sendable (Int) throws -> Void
    private let whenRefused: @Sendable () -> Void
    private let lock = NSLock()
    private var next = 0

    /// - Parameters:
    ///   - servers: Each client begins with one of them and goes to the next when it loses one.
    ///   - afterAnswer: Called by the client that noted an answer, with the number of all answers
    ///     so far.
    ///   - whenRefused: Called by a client that was asked to come again, before it does.
    init(
        _ purchases: [Purchase], servers: [ServerUnderTest], log: ClientLog,
        whenRefused: @escaping @Sendable () -> Void = {},
        afterAnswer: @escaping @Sendable (Int) throws -> Void
    ) {
        self.afterAnswer = afterAnswer
        self.whenRefused = whenRefused
        self.purchases = purchases
        self.servers = servers
        self.log = log
    }

    /// Answers to come: one for each copy.
    var answers: Int { purchases.count * Self.copies }

    /// Runs all clients to their end.
    func run() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for client in 0..<Self.clients {
                group.addTask { try await onThread { try self.work(as: client) } }
            }
            try await group.waitForAll()
        }
    }

    private func work(as client: Int) throws {
        var connection: HTTPConnection?
        var server = client
        do {
            while let purchase = takeNext() {
                let request = try servers[0].request(for: purchase)
                try log.sent(purchase)
                try submit(purchase, request, to: &server, over: &connection)
            }
        } catch {
            // The others stop too.
            lock.withLock { next = answers }
            throw error
        }
    }

    private func takeNext() -> Purchase? {
        lock.withLock {
            guard next < answers else { return nil }
            defer { next += 1 }
            return purchases[next / Self.copies]
        }
    }

    /// Hands the purchase in until it is answered, and notes the answer.
    private func submit(
        _ purchase: Purchase, _ request: ServerUnderTest.Request, to server: inout Int,
        over connection: inout HTTPConnection?
    ) throws {
        for _ in 0..<Self.patience {
            do {
                let port = try servers[server % servers.count].runningPort()
                let open = if let connection { connection } else { try HTTPConnection(port: port) }
                connection = open
                let answer = try open.send(
                    "POST", "/v1/purchases", headers: request.headers, body: request.body)
                // Said before anything was stored; the client keeps the purchase and comes again.
                if answer.status == 503 {
                    whenRefused()
                    continue
                }
                return try note(answer, to: purchase)
            } catch is HTTPConnection.Broken {
                connection = nil
                server += 1
            } catch is ServerUnderTest.Gone {
                guard servers.count > 1 else { throw ServerUnderTest.Gone() }
                server += 1
            }
        }
        throw ChildProcess.Failure(description: "no answer for \(purchase.transactionID)")
    }

    private func note(_ answer: HTTPConnection.Answer, to purchase: Purchase) throws {
        try afterAnswer(log.acknowledged(purchase, by: answer))
    }
}

/// Runs blocking work on a thread of its own, so that the pool of tasks stays free.
func onThread<Value: Sendable>(
    _ body: @escaping @Sendable () throws -> Value
) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
    }
}
