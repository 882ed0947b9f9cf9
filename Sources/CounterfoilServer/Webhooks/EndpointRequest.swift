// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilEngine
import CounterfoilStore

/// The body of a request that makes or changes an endpoint.
struct EndpointRequest {
    let settings: EndpointSettings

    /// Only in one that makes an endpoint: the event behind which it begins.
    let after: Int64?

    private enum EnvironmentChoice: String, CaseIterable {
        case production = "Production"
        case sandbox = "Sandbox"
        case all
    }

    private enum StateChoice: String, CaseIterable {
        case enabled, disabled
    }

    /// - Parameters:
    ///   - isNew: Whether the endpoint is made, so that it needs an address.
    ///   - rules: What addresses are allowed.
    init?(_ body: inout ObjectReader, isNew: Bool, rules: WebhookRules) {
        var settings = EndpointSettings()
        settings.url = body.string(
            "url", maximum: CounterfoilStore.Limits.url, isRequired: isNew)
        if let url = settings.url, let problem = rules.problem(withURL: url) {
            body.report("url", problem)
        }
        settings.description = body.string(
            "description", maximum: CounterfoilStore.Limits.appleText, isRequired: false)
        if body.value("types") != nil { settings.types = Self.types(&body) }
        let environment = body.choice("environment", EnvironmentChoice.self, isRequired: false)
        settings.environment = environment.map { choice in
            choice == .all ? .all : .one(AppStoreEnvironment(rawValue: choice.rawValue))
        }
        settings.isOrdered = body.bool("ordered", isRequired: false)
        settings.acknowledges = body.bool("acknowledges", isRequired: false)
        settings.concurrency = body.integer(
            "concurrency", in: CounterfoilEngine.Limits.endpointConcurrency, isRequired: false)
        settings.rate = body.integer(
            "rate", in: 0...CounterfoilEngine.Limits.endpointRate.upperBound, isRequired: false)
        settings.isEnabled = body.choice("state", StateChoice.self, isRequired: false)
            .map { $0 == .enabled }
        after = isNew ? body.integer("after", in: 0...Int64.max, isRequired: false) : nil
        guard body.findings.isEmpty else { return nil }
        self.settings = settings
    }

    /// Names of event types; one that this version does not publish may come with a later one.
    static func types(_ body: inout ObjectReader) -> [String] {
        let elements = body.elements("types", maximum: Limits.typesPerEndpoint)
        return elements.compactMap { element in
            guard let type = element.value.string, Self.isType(type) else {
                body.findings.report(element.path, "is no event type such as purchase.fulfilled")
                return nil
            }
            return type
        }
    }

    /// Two words or more of small letters and underscores, with points between.
    static func isType(_ text: String) -> Bool {
        let words = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return text.utf8.count <= CounterfoilStore.Limits.word && words.count > 1
            && words.allSatisfy { word in
                !word.isEmpty
                    && word.allSatisfy { byte in
                        byte == UInt8(ascii: "_")
                            || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                    }
            }
    }
}
