// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilHTTP
import CounterfoilSimulator
import Synchronization

/// The simulated App Store behind HTTP: Apple's addresses for backends, `/control` for tests.
final class AppStoreHost: HTTPHandler {
    private let app: Mutex<SimulatedAppStore>
    private let courier: NotificationCourier
    private let clock: any WallClock

    /// Whether the store's time is the machine's.
    private let isRealTime: Bool
    private let pause: @Sendable (Duration) async -> Void
    private let log: @Sendable (String) -> Void

    /// How long an answer that never comes is waited for; longer than clients wait.
    private static let neverComing = Duration.seconds(100)

    init(
        app: SimulatedAppStore, courier: NotificationCourier, clock: any WallClock,
        isRealTime: Bool, pause: @escaping @Sendable (Duration) async -> Void,
        log: @escaping @Sendable (String) -> Void
    ) {
        self.app = Mutex(app)
        self.courier = courier
        self.clock = clock
        self.isRealTime = isRealTime
        self.pause = pause
        self.log = log
    }

    func respond(to request: HTTPRequest) async -> HTTPResponse {
        // A web page must not be able to play with the store of the developer who looks at it.
        guard request.headers["Origin"] == nil else {
            return .json(["message": "requests of web pages are refused"], status: 403)
        }
        if SimulatedAppStore.isControl(request) { return await respondToControl(request) }
        let answer = app.withLock { app in
            catchUp(&app)
            app.callerTime = clock.now
            return app.answer(request)
        }
        let why = answer.refusal.map { " (\($0))" } ?? ""
        log("\(request.method) \(request.target.path): \(answer.response.status)\(why)")
        if answer.isLost {
            await pause(Self.neverComing)
        } else if answer.delay > .zero {
            await pause(answer.delay)
        }
        return answer.response
    }

    private func respondToControl(_ request: HTTPRequest) async -> HTTPResponse {
        var request = request
        if request.method == .post, request.target.segments.last == "advance",
            let body = try? JSONValue(parsing: request.body), let target = await advance(body)
        {
            let rest: JSONValue = ["to": .string(target.rfc3339)]
            request = HTTPRequest(
                method: request.method, target: request.target, headers: request.headers,
                body: rest.utf8, remoteAddress: request.remoteAddress)
        }
        let response = app.withLock { [request] app in
            catchUp(&app)
            return app.answerControl(request)
        }
        await deliverDue()
        log("\(request.method) \(request.target.path): \(response.status)")
        return response
    }

    /// Moves the clock step by step, so that what is due on the way is sent on the way.
    ///
    /// - Returns: Where the verb leads, for its last step; nil where it leads nowhere.
    private func advance(_ body: JSONValue) async -> Instant? {
        guard let target = app.withLock({ try? $0.advanceTarget(body) }) else { return nil }
        while true {
            let moved = app.withLock { app in
                guard let next = app.nextMoment(before: target) else { return false }
                do {
                    try app.advance(to: next)
                    return true
                } catch {
                    return false
                }
            }
            guard moved else { return target }
            await deliverDue()
        }
    }

    /// Sends what is due, one notification after the other.
    func deliverDue() async {
        await courier.deliver {
            self.app.withLock { app in
                self.catchUp(&app)
                do {
                    return try app.takeDueNotifications()
                } catch {
                    self.log("notifications cannot be signed: \(error)")
                    return []
                }
            }
        } record: { result, outgoing in
            self.app.withLock { $0.record(result, of: outgoing) }
        }
    }

    private func catchUp(_ app: inout SimulatedAppStore) {
        guard isRealTime, clock.now > app.store.now else { return }
        do {
            try app.advance(to: clock.now)
        } catch {
            log("the clock stays: \(error)")
        }
    }
}
