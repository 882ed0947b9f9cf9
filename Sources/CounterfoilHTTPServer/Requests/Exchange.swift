// SPDX-License-Identifier: Apache-2.0

internal import CounterfoilHTTP
internal import Synchronization

/// One request on its way to its answer.
///
/// `@unchecked Sendable`: everything outside `state` and `outcome` is used only inside the library's
/// callbacks for this request, which all run on the connection's one thread.
final class Exchange: @unchecked Sendable {
    /// What the library shall do next.
    enum Step {
        case goOn, close
    }

    /// The race between a handler that finishes and a connection that is being suspended.
    private enum State: UInt8, AtomicRepresentable {
        case started, suspended, finished
    }

    private enum Stage {
        case head, body, handling, discarding
    }

    private struct Outcome {
        var isSettled = false
        var response: HTTPResponse?
        var task: Task<Void, Never>?
    }

    let core: ServerCore
    let connection: Connection

    /// The request line's target and where it lies, to be compared with what follows it.
    let target: LibraryTarget

    private let state = Atomic(State.started)
    private let outcome = Mutex(Outcome())

    private var stage = Stage.head
    private var head: AcceptedHead?
    private var isHead = false

    /// Whether the connection ends with the answer. Behind a chunked body it does: the library takes a
    /// bare line feed for the end of a chunk's line, a proxy may not, and then each sees another end of
    /// the body; what one takes for the next request must never be served.
    private var closes = false
    private var body: [UInt8] = []
    private var discardedByteCount = 0

    /// What the library is reading of this request, as its thread counts it.
    private var openPart: ServingThread.Part?

    /// What body and answer take from the common budget.
    private var bodyCharge = 0
    private var answerCharge = 0

    init(core: ServerCore, connection: Connection, target: LibraryTarget) {
        self.core = core
        self.connection = connection
        self.target = target
        open(.head)
    }

    private var network: String { connection.origin.network }

    /// Whether a chunked body is on its way.
    var readsChunks: Bool { openPart == .chunkedBody }

    /// Whether nothing but the request line is known.
    var awaitsHead: Bool { stage == .head }

    /// Takes the accepted or refused head; called once, before any part of the body.
    func begin(_ head: RequestHead) -> Step {
        open(nil)
        isHead = head.method == HTTPMethod.head.rawValue
        do throws(HTTPRefusal) {
            let accepted = try core.headGuard.judge(head)
            self.head = accepted
            if case .chunked = accepted.framing {
                open(.chunkedBody)
                closes = true
            }
            stage = .body
            return connection.enter(.body, until: core.deadline(core.timeouts.body))
                ? .goOn : .close
        } catch {
            let hasMore = !head.contentLengths.isEmpty || !head.transferEncodings.isEmpty
            return refuse(error, discardsRest: hasMore && !head.expectsContinue)
        }
    }

    /// Takes a part of the body.
    func receive(_ bytes: UnsafeRawBufferPointer) -> Step {
        if stage == .discarding {
            discardedByteCount += bytes.count
            return discardedByteCount <= Limits.discardedByteCount ? .goOn : .close
        }
        guard connection.phase == .body else { return .close }
        let maximum = core.configuration.maximumBodyByteCount
        guard body.count + bytes.count <= maximum else {
            return refuse(HeadGuard.bodyTooLarge(maximum), discardsRest: true)
        }
        let charge = Self.charge(of: body.count + bytes.count)
        guard core.buffers.reserve(charge - bodyCharge, forBodyOf: network) else {
            return refuse(ServerCore.overloaded, discardsRest: true)
        }
        bodyCharge = charge
        makeRoom(for: bytes.count)
        body.append(contentsOf: bytes)
        return .goOn
    }

    /// Grows the body's buffer by doubling, and never beyond what was announced.
    private func makeRoom(for count: Int) {
        let needed = body.count + count
        guard body.capacity < needed else { return }
        let usual = max(needed, 2 * body.count, Limits.initialBodyByteCount)
        let most = head?.framing.byteCount ?? core.configuration.maximumBodyByteCount
        body.reserveCapacity(min(usual, max(needed, most)))
    }

    /// What so many bytes take from the common budget: those beyond the share of each connection.
    private static func charge(of byteCount: Int) -> Int {
        max(0, byteCount - Limits.smallBodyByteCount)
    }

    private func open(_ part: ServingThread.Part?) {
        openPart.map(connection.thread.end)
        part.map(connection.thread.begin)
        openPart = part
    }

    /// Goes on after the whole request arrived, and again after the connection was resumed.
    func advance() -> Step {
        switch stage {
        case .head, .discarding:
            return .close
        case .body:
            guard let head,
                connection.enter(.handling, until: core.deadline(core.timeouts.handler))
            else { return .close }
            stage = .handling
            open(nil)
            let request = HTTPRequest(
                method: head.method, target: head.target, headers: head.headers, body: body,
                remoteAddress: connection.remoteAddress)
            self.head = nil
            body = []
            if bodyCharge == 0 { start(request) } else { startInLane(request) }
            if state.load(ordering: .acquiring) != .finished {
                suspend()
                return .goOn
            }
            return answer()
        case .handling:
            return state.load(ordering: .acquiring) == .finished ? answer() : .goOn
        }
    }

    /// Settles the answer; the first call wins, the others change nothing.
    func finish(_ response: HTTPResponse) {
        settle(response)
    }

    /// Answers in the handler's place and cancels it; nothing if there is an answer.
    func cutOff(_ refusal: HTTPRefusal) {
        settle(core.handler.response(to: refusal))?.cancel()
    }

    /// Settles the answer and returns the handler's task if this call won and the task is known.
    @discardableResult
    private func settle(_ response: HTTPResponse) -> Task<Void, Never>? {
        let (isFirst, task) = outcome.withLock { outcome in
            guard !outcome.isSettled else { return (false, nil as Task<Void, Never>?) }
            outcome.isSettled = true
            outcome.response = response
            defer { outcome.task = nil }
            return (true, outcome.task)
        }
        guard isFirst else { return nil }
        if state.exchange(.finished, ordering: .acquiringAndReleasing) == .suspended {
            connection.handle.resume()
        }
        return task
    }

    /// Releases what the request held; the library is done with it.
    func end() {
        open(nil)
        core.buffers.release(bodyCharge, ofBodyOf: network)
        core.buffers.release(answerCharge)
        body = []
    }

    /// Runs the handler on this thread as far as it goes without waiting.
    private func start(_ request: HTTPRequest) {
        let handler = core.handler
        if let executor = core.configuration.taskExecutor {
            remember(
                Task.immediate(executorPreference: executor) {
                    self.finish(await handler.respond(to: request))
                })
        } else {
            remember(Task.immediate { self.finish(await handler.respond(to: request)) })
        }
    }

    /// Runs the handler elsewhere when a place is free; the body's charge is released when it ends,
    /// be that after the answer was cut off.
    private func startInLane(_ request: HTTPRequest) {
        let charge = bodyCharge
        bodyCharge = 0
        core.largeRequests.enter {
            let task = Task(executorPreference: self.core.configuration.taskExecutor) {
                let response: HTTPResponse? =
                    self.isSettled ? nil : await self.core.handler.respond(to: request)
                // First, so that a large answer finds the room that the body leaves.
                self.core.buffers.release(charge, ofBodyOf: self.network)
                response.map(self.finish)
                self.core.largeRequests.leave()
            }
            self.remember(task)
        }
    }

    private var isSettled: Bool { outcome.withLock { $0.isSettled } }

    private func remember(_ task: Task<Void, Never>) {
        let isSettled = outcome.withLock { outcome in
            if !outcome.isSettled { outcome.task = task }
            return outcome.isSettled
        }
        // Without effect on a handler that is done; stops one that was cut off before it was known.
        if isSettled { task.cancel() }
    }

    /// Suspends first and announces it then: a handler that finishes in between finds nothing to
    /// resume, so this side does it.
    private func suspend() {
        connection.handle.suspend()
        let (exchanged, _) = state.compareExchange(
            expected: .started, desired: .suspended, ordering: .acquiringAndReleasing)
        if !exchanged { connection.handle.resume() }
    }

    private func answer() -> Step {
        let settled = outcome.withLock { outcome in
            defer { outcome.response = nil }
            return outcome.response
        }
        guard var response = settled,
            connection.enter(.answering, until: core.deadline(core.timeouts.answer))
        else { return .close }
        let charge = Self.charge(of: response.body.count)
        if core.buffers.reserve(charge) {
            answerCharge = charge
        } else {
            response = core.handler.response(to: ServerCore.overloaded)
        }
        return connection.handle.queue(response, closes: closes || core.isStopping) ? .goOn : .close
    }

    /// Sends a refusal past the library, which takes no answer while a body is arriving.
    private func refuse(_ refusal: HTTPRefusal, discardsRest: Bool) -> Step {
        guard connection.enter(.discarding, until: core.deadline(core.timeouts.discarding)) else {
            return .close
        }
        core.send(core.handler.response(to: refusal), to: connection.socket, withoutBody: isHead)
        guard discardsRest else { return .close }
        stage = .discarding
        open(nil)
        core.buffers.release(bodyCharge, ofBodyOf: network)
        bodyCharge = 0
        body = []
        return .goOn
    }
}
