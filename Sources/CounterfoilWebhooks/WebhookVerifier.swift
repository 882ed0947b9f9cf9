// SPDX-License-Identifier: Apache-2.0

public import CounterfoilCore
internal import CounterfoilCrypto

/// A webhook that was signed with a known secret, lately.
public struct VerifiedWebhook: Hashable, Sendable {
    /// Names the message. The same one may come several times: after a lost answer, by replay. Whoever
    /// acts on it keeps the ids it has acted on, in the transaction of the act.
    public let id: String

    /// When this attempt was signed, in whole seconds.
    public let sentAt: Instant
}

/// Tells genuine webhooks from made-up, changed and repeated ones.
///
/// It works for any sender that follows Standard Webhooks 1.0.0 with signatures of version `v1`.
///
/// ```swift
/// let verifier = WebhookVerifier(secrets: [try WebhookSecret(text)])
/// let webhook = try verifier.verify(request.headers, body: request.body, now: clock.now)
/// guard try store.isNew(webhook.id) else { return .ok }
/// ```
public struct WebhookVerifier: Sendable {
    /// How far the time of signing may lie from now, to both sides: five minutes, as the reference
    /// libraries have it.
    public static let usualTolerance = Duration.seconds(300)

    private let secrets: [WebhookSecret]
    private let tolerance: Duration

    /// - Parameters:
    ///   - secrets: Any of them may have signed; two while you change from one to the other. Those
    ///     beyond the sixteenth are not tried.
    ///   - tolerance: How far the time of signing may lie in the past and in the future.
    public init(secrets: [WebhookSecret], tolerance: Duration = Self.usualTolerance) {
        self.secrets = Array(secrets.prefix(Limits.secretCount))
        self.tolerance = tolerance
    }

    /// Verifies a request by its header fields and its body.
    ///
    /// The time that the comparison takes does not depend on how much of a signature is right. The
    /// result does not say whether the message came before; keep the ids for that.
    ///
    /// - Parameters:
    ///   - fields: All header fields of the request, with names in any case. A field of ours that is
    ///     there twice is refused, since another program may have read the other one.
    ///   - body: The bytes as they came, before anything parsed them.
    ///   - now: The receiver's time.
    /// - Throws: ``WebhookRefusal``; the time is looked at first, the signature last.
    public func verify(
        _ fields: some Sequence<(name: String, value: String)>, body: some Collection<UInt8>,
        now: Instant
    ) throws(WebhookRefusal) -> VerifiedWebhook {
        let fields = Array(fields)
        let id = try Self.value(of: WebhookSignature.idField, in: fields)
        let timestamp = try Self.value(of: WebhookSignature.timestampField, in: fields)
        let signatures = try Self.value(of: WebhookSignature.signatureField, in: fields)
        guard WebhookSignature.isID(id) else {
            throw WebhookRefusal(.headerInvalid, "webhook-id is no id")
        }
        guard let seconds = Self.seconds(timestamp) else {
            throw WebhookRefusal(.headerInvalid, "webhook-timestamp is no number of seconds")
        }
        let sentAt = Instant(secondsSinceEpoch: seconds)
        guard now.since(sentAt) <= tolerance else {
            throw WebhookRefusal(.tooOld, "it was signed too long ago")
        }
        guard sentAt.since(now) <= tolerance else {
            throw WebhookRefusal(.tooNew, "it was signed in the future")
        }
        let message = WebhookSignature.message(id: id, timestamp: timestamp, body: body)
        guard isSigned(message, Self.codes(in: signatures)) else {
            throw WebhookRefusal(.signatureWrong, "no signature fits the body and a known secret")
        }
        return VerifiedWebhook(id: id, sentAt: sentAt)
    }

    /// Every pair is compared, so that the time does not tell which one fitted.
    private func isSigned(_ message: [UInt8], _ codes: [[UInt8]]) -> Bool {
        var isSigned = false
        for secret in secrets {
            let expected = WebhookSignature.code(of: message, secret)
            for code in codes where constantTimeEqual(code, expected) { isSigned = true }
        }
        return isSigned
    }

    /// The signatures of our version; others stand beside them while a sender moves to a new one.
    private static func codes(in header: String) -> [[UInt8]] {
        let signatures = header.split(separator: " ").prefix(Limits.signatureCount)
        return signatures.compactMap { signature in
            let parts = signature.split(
                separator: ",", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, parts[0] == WebhookSignature.version else { return nil }
            return Base64.decode(Array(parts[1].utf8), .standard)
        }
    }

    private static func value(
        of name: String, in fields: [(name: String, value: String)]
    ) throws(WebhookRefusal) -> String {
        let values = fields.filter { $0.name.lowercased() == name }.map(\.value)
        guard let value = values.first else {
            throw WebhookRefusal(.headerMissing, "there is no \(name)")
        }
        guard values.count == 1, value.utf8.count <= Limits.headerByteCount else {
            throw WebhookRefusal(.headerInvalid, "\(name) is there twice or too long")
        }
        return value
    }

    /// Digits alone: a sign or a space would let one signature stand for two texts.
    private static func seconds(_ text: String) -> Int64? {
        guard (1...15).contains(text.utf8.count), text.utf8.first != UInt8(ascii: "0"),
            text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { return nil }
        return Int64(text)
    }
}
