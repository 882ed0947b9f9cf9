// SPDX-License-Identifier: Apache-2.0
public import CounterfoilCore
public import CounterfoilHTTP

/// A story of in-app purchases as a file: what happens in the store, what is asked of a server, and
/// what must come of it.
public struct Scenario: Sendable {
    /// One thing that happens.
    public struct Step: Sendable {
        /// What is done.
        public enum Act: Sendable {
            /// A verb of the simulated store, or the code of the refusal that must come.
            case verb(String, with: JSONValue, refusal: String?)

            /// A request to the server that is tried.
            case request(HTTPMethod, path: String, headers: JSONValue, body: JSONValue?)

            /// A request to Apple's services, as the server would make it.
            case apple(HTTPMethod, path: String, headers: JSONValue, body: JSONValue?)

            /// The names of all notifications since the last such step, in order.
            case notifications([String])
        }

        /// What the report calls it.
        public let title: String

        /// What is done.
        public let act: Act

        /// What the answer must hold at least; nil for anything.
        public let expectation: JSONValue?

        /// The status that an answer must have.
        public let status: Int?

        /// How long the answer may take to become what is expected, asked again and again.
        public let patience: Duration

        /// Under which name later steps refer to the answer.
        public let name: String?
    }

    /// What the report calls it.
    public let title: String

    /// The app.
    public let bundleID: String

    /// What payloads call their environment.
    public let environment: AppStoreEnvironment

    /// The store's time at the beginning; nil for the present.
    public let start: Instant?

    /// The `.storekit` file, relative to the scenario; nil where the caller has to name one.
    public let storeKitFile: String?

    /// What happens, in order.
    public let steps: [Step]

    /// Reads a scenario; comments and the rest of JSON5 are allowed.
    ///
    /// - Throws: ``ScenarioError`` with line and path of every fault.
    public init(parsing bytes: some Collection<UInt8>) throws(ScenarioError) {
        let document: JSONDocument
        do throws(JSONError) {
            document = try JSONDocument(parsing: bytes, dialect: .json5)
        } catch {
            throw ScenarioError(faults: ["line \(error.line): \(error.message)"])
        }
        let findings = DocumentFindings()
        var reader = ObjectReader(document.value, findings: findings)
        let title = reader.string("title", maximum: Limits.maximumNameLength)
        let bundleID = reader.string(
            "bundle_id", maximum: Limits.maximumNameLength, isRequired: false)
        let environment = reader.string(
            "environment", maximum: Limits.maximumNameLength, isRequired: false)
        start = reader.instant("start", isRequired: false)
        storeKitFile = reader.string(
            "storekit", maximum: Limits.maximumTextByteCount, isRequired: false)
        steps = reader.elements("steps", maximum: Limits.maximumScenarioSteps).enumerated()
            .compactMap { number, element in
                Step(element.value, path: element.path, number: number + 1, findings: findings)
            }
        reader.finish()
        guard findings.isEmpty, let title else {
            throw ScenarioError(
                faults: findings.all.map { "line \(document.line(at: $0.path)): \($0)" })
        }
        self.title = title
        self.bundleID = bundleID ?? "com.example.game"
        self.environment = environment.map { AppStoreEnvironment(rawValue: $0) } ?? .sandbox
    }
}

/// Why a file is no scenario.
public struct ScenarioError: Error, Hashable, Sendable, CustomStringConvertible {
    /// One line for each fault.
    public let faults: [String]

    /// All of them.
    public var description: String { faults.joined(separator: "\n") }
}

extension Scenario.Step {
    fileprivate init?(
        _ value: JSONValue, path: String, number: Int, findings: DocumentFindings
    ) {
        var reader = ObjectReader(value, path: path, findings: findings)
        let title = reader.string("step", maximum: Limits.maximumTextByteCount, isRequired: false)
        name = reader.string("as", maximum: Limits.maximumNameLength, isRequired: false)
        expectation = reader.value("expect")
        status = reader.integer("status", in: 100...599, isRequired: false).map { Int($0) }
        patience = .seconds(
            reader.integer("within_seconds", in: 0...600, isRequired: false) ?? 0)
        let act = Self.act(&reader, path: path, findings: findings)
        reader.finish()
        guard let act else { return nil }
        self.act = act
        self.title = title ?? Self.title(of: act, number: number)
    }

    private static func act(
        _ reader: inout ObjectReader, path: String, findings: DocumentFindings
    ) -> Act? {
        let verb = reader.string("do", maximum: Limits.maximumNameLength, isRequired: false)
        let with = reader.value("with") ?? [:]
        let refusal = reader.string(
            "refused", maximum: Limits.maximumNameLength, isRequired: false)
        let request = reader.value("request")
        let apple = reader.value("apple")
        let names = reader.member("notifications", "a list of names", isRequired: false) {
            value -> [String]? in
            guard let list = value.array else { return nil }
            let names = list.compactMap(\.string)
            return names.count == list.count ? names : nil
        }
        let kinds = [verb != nil, request != nil, apple != nil, names != nil].count { $0 }
        guard kinds == 1 else {
            findings.report(
                path, "must have one of \"do\", \"request\", \"apple\" and \"notifications\"")
            return nil
        }
        if let verb {
            if ControlVerb.named(verb) == nil { findings.report("\(path).do", "is no verb") }
            return .verb(verb, with: with, refusal: refusal)
        }
        if let names { return .notifications(names) }
        guard let value = request ?? apple else { return nil }
        let place = "\(path).\(request == nil ? "apple" : "request")"
        var parts = ObjectReader(value, path: place, findings: findings)
        let method = parts.string("method", maximum: 16, isRequired: false) ?? "GET"
        let target = parts.string("path", maximum: Limits.maximumTextByteCount) ?? ""
        let headers = parts.value("headers") ?? [:]
        let body = parts.value("body")
        parts.finish()
        let known = HTTPMethod(rawValue: method)
        return request == nil
            ? .apple(known, path: target, headers: headers, body: body)
            : .request(known, path: target, headers: headers, body: body)
    }

    private static func title(of act: Act, number: Int) -> String {
        switch act {
        case .verb(let verb, _, _): "\(number): \(verb)"
        case .request(let method, let path, _, _): "\(number): \(method) \(path)"
        case .apple(let method, let path, _, _): "\(number): Apple's \(method) \(path)"
        case .notifications: "\(number): notifications"
        }
    }
}
