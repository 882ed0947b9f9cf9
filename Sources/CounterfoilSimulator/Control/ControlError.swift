// SPDX-License-Identifier: Apache-2.0
public import CounterfoilCore

/// Why a control call does nothing.
public struct ControlError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A stable name for the reason: one of the store's, or one of the call's own form.
    public let code: String

    /// The HTTP status that suits it.
    public let status: Int

    /// What is wrong, safe to show.
    public let message: String

    /// What would be done instead.
    public let allowed: [String]

    init(code: String, status: Int, message: String, allowed: [String] = []) {
        self.code = code
        self.status = status
        self.message = message
        self.allowed = allowed
    }

    /// A refusal of the store's: 404 for an id that it does not know, 409 for everything else.
    init(_ error: StoreError) {
        self.init(
            code: error.code.name, status: error.code.name.hasSuffix(".unknown") ? 404 : 409,
            message: error.message, allowed: error.allowed)
    }

    static func verbUnknown(_ verb: String) -> ControlError {
        ControlError(
            code: "control.verb_unknown", status: 404, message: "there is no verb \(verb)",
            allowed: ControlVerb.all.map(\.name))
    }

    static func malformed(_ findings: [DocumentFinding], allowed: [String] = []) -> ControlError {
        ControlError(
            code: "control.malformed", status: 400,
            message: findings.map(\.description).joined(separator: "; "), allowed: allowed)
    }

    static func value(
        _ member: String, _ problem: String, allowed: [String] = []
    ) -> ControlError {
        ControlError(
            code: "control.value", status: 422, message: "\(member) \(problem)", allowed: allowed)
    }

    static func failed(_ error: any Error) -> ControlError {
        ControlError(code: "control.failed", status: 500, message: "\(error)")
    }

    /// The refusal as JSON.
    public var json: JSONValue {
        [
            "code": .string(code), "message": .string(message),
            "allowed": .array(allowed.map { .string($0) }),
        ]
    }

    /// The reason, and what would be allowed.
    public var description: String {
        allowed.isEmpty ? message : "\(message); allowed: \(allowed.joined(separator: ", "))"
    }
}
