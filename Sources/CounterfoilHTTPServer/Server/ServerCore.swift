// SPDX-License-Identifier: Apache-2.0

internal import CounterfoilCore
internal import CounterfoilHTTP
internal import Synchronization

/// What a running server consists of beside the library: its connections, deadlines and budget.
///
/// The library calls it on the connections' threads, the timer and ``HTTPServer/stop(gracePeriod:)``
/// on others.
final class ServerCore: Sendable {
    static let overloaded = HTTPRefusal(
        status: 503, code: "http.overloaded",
        message: "the server holds as many large bodies as it may", retryAfter: .seconds(1))

    private static let handlerTimedOut = HTTPRefusal(
        status: 503, code: "http.handler_timeout",
        message: "the answer took too long; the request may still take effect",
        retryAfter: .seconds(1))

    private static let stopping = HTTPRefusal(
        status: 503, code: "http.server_stopping",
        message: "the server is stopping; the request may still take effect",
        retryAfter: .seconds(1))

    let configuration: HTTPServerConfiguration
    let handler: any HTTPHandler
    let headGuard: HeadGuard
    let buffers: BufferBudget
    let largeRequests: LargeRequestLane
    let timeouts: Timeouts
    private let table: ConnectionTable
    private let exchanges = ExchangeCount()
    private let tide = MemoryTide()
    private let stopFlag = Atomic(false)
    private let epoch = ContinuousClock.now

    /// Milliseconds since the server was made, as of the latest sweep.
    private let now = Atomic<UInt64>(0)

    init(configuration: HTTPServerConfiguration, handler: any HTTPHandler) {
        self.configuration = configuration
        self.handler = handler
        timeouts = Timeouts(configuration)
        headGuard = HeadGuard(maximumBodyByteCount: configuration.maximumBodyByteCount)
        table = ConnectionTable(
            maximumCount: configuration.maximumConnectionCount,
            maximumCountPerNetwork: configuration.maximumConnectionCountPerAddress)
        buffers = BufferBudget(maximumByteCount: configuration.maximumBufferedByteCount)
        largeRequests = LargeRequestLane(
            width: configuration.maximumLargeRequestCount ?? MicroHTTPD.coreCount / 2)
    }

    /// Whether answers end their connections.
    var isStopping: Bool { stopFlag.load(ordering: .relaxed) }

    /// The moment that a timeout which starts now ends; no request asks the clock.
    func deadline(_ timeout: UInt64) -> UInt64 {
        now.load(ordering: .relaxed) + timeout
    }
}

// What the listener asks for.
extension ServerCore {
    /// Counts the connection, or says why it is not taken.
    func admit(_ client: Client) -> HTTPRefusal? {
        let admission = table.admit(client.socket, from: client.origin) {
            MicroHTTPD.shutDown($0.socket)
        }
        return switch admission {
        case .admitted: nil
        case .full: Self.tooManyConnections("the server")
        case .networkFull: Self.tooManyConnections("your address")
        }
    }

    /// Answers a connection that is not taken, and closes it.
    func refuse(_ client: Client, _ refusal: HTTPRefusal) {
        send(handler.response(to: refusal), to: client.socket, withoutBody: false)
        MicroHTTPD.close(client.socket)
    }

    private static func tooManyConnections(_ whose: String) -> HTTPRefusal {
        HTTPRefusal(
            status: 503, code: "http.too_many_connections",
            message: "\(whose) has as many connections as it may", retryAfter: .seconds(1))
    }
}

// What the library reports, on the connection's thread.
extension ServerCore {
    func connectionOpened(_ handle: LibraryConnection, on thread: ServingThread) -> Connection {
        let socket = handle.socket
        let connection = Connection(
            socket: socket, handle: handle, thread: thread, origin: table.origin(of: socket),
            deadline: deadline(timeouts.idle))
        table.insert(connection)
        return connection
    }

    func connectionClosed(_ connection: Connection) {
        table.remove(connection)
    }

    func requestStarted(_ target: LibraryTarget, on connection: Connection) -> Exchange {
        // A condemned connection notices when its head is complete.
        _ = connection.enter(.head, until: deadline(timeouts.head))
        if target.pairCount > Limits.queryPairCount { refuseQuery(on: connection) }
        let exchange = Exchange(core: self, connection: connection, target: target)
        connection.exchange.withLock { $0 = exchange }
        exchanges.increment()
        return exchange
    }

    /// Refuses before the library makes a record of each pair: when its memory is used up there, it
    /// queues an answer and goes on waiting (seen in 0.9.75).
    private func refuseQuery(on connection: Connection) {
        let refusal = HTTPRefusal(
            status: 414, code: "http.query_too_long",
            message: "the query has more than \(Limits.queryPairCount) pairs")
        refuse(refusal, on: connection, in: .head)
    }

    /// Answers and closes while the library is still busy with a part of the request.
    private func refuse(
        _ refusal: HTTPRefusal, on connection: Connection, in phase: Connection.Phase
    ) {
        guard connection.condemn(in: phase) else { return }
        send(handler.response(to: refusal), to: connection.socket, withoutBody: false)
        MicroHTTPD.shutDown(connection.socket)
    }

    func requestEnded(_ exchange: Exchange) {
        exchange.end()
        exchange.connection.exchange.withLock { $0 = nil }
        _ = exchange.connection.enter(.idle, until: deadline(timeouts.idle))
        exchanges.decrement()
    }

    /// Answers for the library where it is about to refuse something, so that the client gets what it
    /// gets for every other fault.
    ///
    /// The library does not say which connection it means. Where more than one can be meant, it gives
    /// its own answer.
    func answerInPlace(of refusal: LibraryRefusal, on thread: ServingThread) {
        switch refusal {
        case .contentLength:
            // It would send its own answer's head twice (seen in 0.9.75). Every head with a malformed
            // length deserves this answer.
            table.forEach { connection in
                guard connection.thread === thread, connection.phase == .head,
                    let text = connection.handle.firstContentLength
                else { return }
                do throws(HTTPRefusal) {
                    _ = try HeadGuard.length(text, maximum: configuration.maximumBodyByteCount)
                } catch {
                    refuse(error, on: connection, in: .head)
                }
            }
        case .headTooLarge:
            guard thread.hasOnlyOne(.head) else { return }
            refuseOnly(HeadGuard.headTooLarge, on: thread, in: .head) { _ in true }
        case .chunkMalformed, .chunkTooLarge:
            guard thread.hasOnlyOne(.chunkedBody) else { return }
            let answer =
                refusal == .chunkMalformed
                ? HeadGuard.chunkMalformed
                : HeadGuard.bodyTooLarge(configuration.maximumBodyByteCount)
            refuseOnly(answer, on: thread, in: .body) { $0.readsChunks }
        }
    }

    private func refuseOnly(
        _ refusal: HTTPRefusal, on thread: ServingThread, in phase: Connection.Phase,
        where isMeant: (Exchange) -> Bool
    ) {
        table.forEach { connection in
            guard connection.thread === thread, connection.phase == phase,
                let exchange = connection.exchange.withLock({ $0 }), isMeant(exchange)
            else { return }
            refuse(refusal, on: connection, in: phase)
        }
    }
}

extension ServerCore {
    /// Sends an answer past the library and ends the sending side.
    ///
    /// Only while the library sends nothing on this connection: before a request is complete.
    func send(_ response: HTTPResponse, to socket: Int32, withoutBody: Bool) {
        var response = response
        response.headers["Content-Length"] = String(response.body.count)
        response.headers["Connection"] = "close"
        var text = "HTTP/1.1 \(response.status) \(MicroHTTPD.reason(response.status))\r\n"
        for field in response.headers.fields { text += "\(field.name): \(field.value)\r\n" }
        text += "\r\n"
        var bytes = Array(text.utf8)
        if !withoutBody { bytes += response.body }
        MicroHTTPD.sendLast(bytes, to: socket)
    }

    /// Ends what lasted too long.
    func sweep() {
        let now = UInt64(max(0, epoch.duration(to: .now).wholeMilliseconds))
        self.now.store(now, ordering: .relaxed)
        var unanswered: [Exchange] = []
        var overdue: [(Connection, Connection.Phase)] = []
        table.forEach { connection in
            if connection.isHandlerOverdue(at: now) {
                connection.exchange.withLock { $0 }.map { unanswered.append($0) }
            } else if let phase = connection.condemn(ifOverdueAt: now) {
                overdue.append((connection, phase))
            }
        }
        // The library's epoll tells it once of data and end; when both come together it reads the
        // data and never sees the end (0.9.75).
        table.forEachAbandoned { connection in
            if connection.condemnIfStillAbandoned() { MicroHTTPD.shutDown(connection.socket) }
        }
        tide.observe(
            table.takeHighestCount() * Limits.connectionByteCount
                + buffers.takeHighest() * Limits.largeBodyWeight)
        unanswered.forEach { $0.cutOff(Self.handlerTimedOut) }
        // One by one, so that thousands of them keep nobody else from the table.
        for (connection, phase) in overdue {
            let answer = timeoutAnswer(in: phase)
            table.visit(connection) { connection in
                if let answer { send(answer, to: connection.socket, withoutBody: false) }
                MicroHTTPD.shutDown(connection.socket)
            }
        }
    }

    private func timeoutAnswer(in phase: Connection.Phase) -> HTTPResponse? {
        guard phase == .head || phase == .body else { return nil }
        let limit = phase == .head ? configuration.headTimeout : configuration.bodyTimeout
        return handler.response(
            to: HTTPRefusal(
                status: 408, code: "http.request_timeout",
                message: "the request's \(phase) took longer than \(limit)"))
    }

    /// Lets running requests finish, then answers the rest with 503 and closes everything.
    ///
    /// Afterwards no connection is suspended, which the library demands before it is stopped.
    func drain(gracePeriod: Duration) async {
        stopFlag.store(true, ordering: .relaxed)
        table.forEach { connection in
            if connection.condemn(in: .idle) { MicroHTTPD.shutDown(connection.socket) }
        }
        await exchanges.becomeZero(within: gracePeriod)
        var running: [Exchange] = []
        table.close { connection in
            if let phase = connection.condemnUnlessAnswerable() {
                if phase != .condemned { MicroHTTPD.shutDown(connection.socket) }
            } else {
                connection.exchange.withLock { $0 }.map { running.append($0) }
            }
        }
        running.forEach { $0.cutOff(Self.stopping) }
        await exchanges.becomeZero(within: Limits.lastAnswerTimeout)
    }
}
