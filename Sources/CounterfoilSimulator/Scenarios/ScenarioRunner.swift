// SPDX-License-Identifier: Apache-2.0
public import CounterfoilCore
import CounterfoilCrypto
public import CounterfoilHTTP

/// A request of a scenario.
public struct ScenarioRequest: Sendable {
    /// The method.
    public let method: HTTPMethod

    /// Path and query as they go over the network.
    public let target: String

    /// The fields that the scenario names, and a content type for a body.
    public let headers: HTTPHeaders

    /// The body; empty where there is none.
    public let body: [UInt8]
}

/// The server that a scenario tries.
public protocol ScenarioServer: Sendable {
    /// Sends a request; nil where no answer came.
    func answer(_ request: ScenarioRequest) async -> HTTPResponse?

    /// Delivers a notification as Apple would.
    func deliver(_ body: [UInt8]) async -> SendAttempt.Result
}

/// What came of a scenario.
public struct ScenarioReport: Sendable {
    /// One step.
    public struct Line: Sendable {
        /// The step's title.
        public let title: String

        /// What was not as expected; empty for success.
        public let differences: [String]
    }

    /// The scenario's title.
    public let title: String

    /// The steps that were taken; after a failed one none is.
    public internal(set) var lines: [Line] = []

    /// How many steps there are.
    public let stepCount: Int

    /// Whether every step came out as expected.
    public var isSuccess: Bool {
        lines.count == stepCount && lines.allSatisfy(\.differences.isEmpty)
    }

    /// As one object.
    public var json: JSONValue {
        [
            "title": .string(title), "success": .bool(isSuccess), "steps": .integer(stepCount),
            "taken": .array(
                lines.map {
                    [
                        "step": .string($0.title),
                        "differences": .array($0.differences.map { .string($0) }),
                    ]
                }),
        ]
    }

    /// A line for each step.
    public var text: String {
        var all = [title]
        for line in lines {
            all.append("  \(line.differences.isEmpty ? "ok  " : "FAIL") \(line.title)")
            all += line.differences.map { "         \($0)" }
        }
        let left = stepCount - lines.count
        if left > 0 { all.append("  \(left) steps were not taken") }
        return all.joined(separator: "\n") + "\n"
    }
}

/// Plays a scenario against a simulated App Store and, where there is one, a server.
public struct ScenarioRunner: Sendable {
    /// The store, which a caller may look at afterward.
    public private(set) var app: SimulatedAppStore

    private let server: (any ScenarioServer)?
    private let pause: @Sendable (Duration) async -> Void
    private var names: ScenarioNames
    private var notificationCount = 0

    /// The pause between two tries of a step that is patient.
    private static let pauseBetweenTries = Duration.milliseconds(100)

    /// - Parameters:
    ///   - server: What requests and notifications go to; nil answers every notification with 200 and
    ///     fails a step that asks it something.
    ///   - names: Values that steps may refer to, for example a key.
    ///   - pause: Waits; a simulation's may return at once.
    public init(
        app: SimulatedAppStore, server: (any ScenarioServer)? = nil,
        names: [String: JSONValue] = [:], pause: @escaping @Sendable (Duration) async -> Void
    ) {
        self.app = app
        self.server = server
        self.pause = pause
        self.names = ScenarioNames(names)
    }

    /// Takes the steps in order, up to the first that does not come out as expected.
    public mutating func run(_ scenario: Scenario) async -> ScenarioReport {
        var report = ScenarioReport(title: scenario.title, stepCount: scenario.steps.count)
        for step in scenario.steps {
            let differences = await take(step)
            report.lines.append(.init(title: step.title, differences: differences))
            guard differences.isEmpty else { break }
        }
        return report
    }

    private mutating func take(_ step: Scenario.Step) async -> [String] {
        var waited = Duration.zero
        while true {
            let differences = await tryOnce(step)
            guard !differences.isEmpty, waited < step.patience else { return differences }
            await pause(Self.pauseBetweenTries)
            waited += Self.pauseBetweenTries
        }
    }

    private mutating func tryOnce(_ step: Scenario.Step) async -> [String] {
        do {
            let answer = try await answer(to: step)
            if let refusal = answer.refusal { return [refusal] }
            var differences: [String] = []
            if let status = step.status, let given = answer.status, status != given {
                differences.append("the status is \(given), expected \(status)")
            }
            if let expectation = step.expectation {
                differences += ScenarioMatch.differences(
                    expected: try names.resolved(expectation), actual: answer.value)
            }
            if differences.isEmpty, let name = step.name { names.set(name, answer.value) }
            return differences
        } catch {
            return ["\(error)"]
        }
    }

    private struct Answer {
        var value = JSONValue.null
        var status: Int?
        var refusal: String?
    }

    private mutating func answer(to step: Scenario.Step) async throws -> Answer {
        switch step.act {
        case .verb(let verb, let with, let refusal):
            var arguments = try names.resolved(with)
            if verb == "advance", let target = try? app.advanceTarget(arguments) {
                // What is due on the way is sent on the way; the rest of it is a moment by then.
                while let next = app.nextMoment(before: target) {
                    try app.advance(to: next)
                    try await deliverNotifications()
                }
                arguments = ["to": .string(target.rfc3339)]
            }
            let answer = perform(verb, arguments, refusal: refusal)
            try await deliverNotifications()
            return answer
        case .request(let method, let path, let headers, let body):
            guard let server else { return Answer(refusal: "there is no server to ask") }
            let request = try request(method, path, headers, body)
            guard let response = await server.answer(request) else {
                return Answer(refusal: "the server did not answer")
            }
            return Self.answer(of: response)
        case .apple(let method, let path, let headers, let body):
            let request = try request(method, path, headers, body)
            guard let target = HTTPTarget(request.target) else {
                return Answer(refusal: "\(request.target) is no path")
            }
            let served = app.answer(
                HTTPRequest(
                    method: method, target: target, headers: request.headers, body: request.body,
                    remoteAddress: ""))
            app.collectNotifications()
            try await deliverNotifications()
            return served.isLost
                ? Answer(refusal: "no answer came") : Self.answer(of: served.response)
        case .notifications(let expected):
            let all = app.outbox.history.map(\.entry.notification.name)
            let new = Array(all.dropFirst(notificationCount))
            guard new == expected else {
                return Answer(
                    refusal: "the notifications are \(new.joined(separator: ", ")), expected "
                        + expected.joined(separator: ", "))
            }
            notificationCount = all.count
            return Answer()
        }
    }

    private mutating func perform(
        _ verb: String, _ with: JSONValue, refusal: String?
    ) -> Answer {
        do throws(ControlError) {
            let value = try app.control(verb, with)
            return Answer(
                value: value,
                refusal: refusal.map { "it was done, though it should be refused by \($0)" })
        } catch {
            return Answer(
                value: error.json, status: error.status,
                refusal: error.code == refusal ? nil : "refused by \(error.code): \(error)")
        }
    }

    private func request(
        _ method: HTTPMethod, _ path: String, _ headers: JSONValue, _ body: JSONValue?
    ) throws -> ScenarioRequest {
        var fields = HTTPHeaders()
        for member in try names.resolved(headers).object?.members ?? [] {
            fields[member.key] = member.value.string ?? member.value.text
        }
        var bytes: [UInt8] = []
        if let body {
            bytes = try names.resolved(body).utf8
            if fields["Content-Type"] == nil { fields["Content-Type"] = "application/json" }
        }
        return ScenarioRequest(
            method: method, target: try names.text(path), headers: fields, body: bytes)
    }

    private static func answer(of response: HTTPResponse) -> Answer {
        let value = try? JSONValue(parsing: response.body)
        let text = JSONValue.string(String(decoding: response.body, as: UTF8.self))
        return Answer(
            value: value ?? (response.body.isEmpty ? .null : text), status: response.status)
    }

    /// Sends what is due; what a server refuses is tried again when the clock has moved on.
    private mutating func deliverNotifications() async throws {
        while let due = app.outbox.nextDue, due <= app.store.now {
            for outgoing in try app.takeDueNotifications() {
                let result = await server?.deliver(outgoing.body) ?? .success
                app.record(result, of: outgoing)
            }
        }
    }
}
