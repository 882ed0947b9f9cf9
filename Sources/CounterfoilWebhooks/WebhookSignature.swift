// SPDX-License-Identifier: Apache-2.0

public import CounterfoilCore
internal import CounterfoilCrypto

/// The signatures of one attempt to deliver a webhook, as Standard Webhooks 1.0.0 defines them
/// (version `v1`: HMAC-SHA-256 over `id.timestamp.body`).
///
/// Sign when you send, not when you put in a queue: the time is that of the attempt, and a secret may
/// have been changed meanwhile. The id stays the same over all attempts.
public struct WebhookSignature: Hashable, Sendable {
    /// The names of the three header fields; receivers compare them without regard to case.
    public static let idField = "webhook-id"
    /// The field with the seconds since 1970 of this attempt.
    public static let timestampField = "webhook-timestamp"
    /// The field with the signatures.
    public static let signatureField = "webhook-signature"

    static let version = "v1"

    /// What `webhook-id` is to hold.
    public let id: String

    /// What `webhook-timestamp` is to hold.
    public let timestamp: String

    /// What `webhook-signature` is to hold: one signature per secret, with spaces between.
    public let signature: String

    /// The three fields in the order in which people read them.
    public var fields: [(name: String, value: String)] {
        [
            (Self.idField, id), (Self.timestampField, timestamp),
            (Self.signatureField, signature),
        ]
    }

    /// Signs a body.
    ///
    /// - Parameters:
    ///   - id: Names the message, over all its attempts.
    ///   - body: The bytes as they are sent.
    ///   - time: The moment of this attempt; whole seconds count.
    ///   - secrets: One, or two while the receiver changes from one to the other.
    /// - Throws: `webhook.id_invalid`, or `webhook.secret_invalid` without any secret.
    public init(
        of body: some Collection<UInt8>, id: String, at time: Instant, with secrets: [WebhookSecret]
    ) throws(WebhookRefusal) {
        guard Self.isID(id) else {
            throw WebhookRefusal(
                .idInvalid, "an id has 1 to 256 printable ASCII characters and no point")
        }
        guard !secrets.isEmpty else {
            throw WebhookRefusal(.secretInvalid, "there is no secret to sign with")
        }
        let milliseconds = time.millisecondsSinceEpoch
        // Towards the past, before 1970 too.
        let seconds = milliseconds / 1000 - (milliseconds % 1000 < 0 ? 1 : 0)
        self.id = id
        timestamp = String(seconds)
        let message = Self.message(id: id, timestamp: timestamp, body: body)
        signature = secrets.map { secret in
            "\(Self.version),"
                + Base64.encode(Self.code(of: message, secret), .standard)
        }.joined(separator: " ")
    }

    /// The bytes that are signed.
    static func message(id: String, timestamp: String, body: some Collection<UInt8>) -> [UInt8] {
        var message: [UInt8] = []
        message.reserveCapacity(id.utf8.count + timestamp.utf8.count + 2 + body.count)
        message.append(contentsOf: id.utf8)
        message.append(UInt8(ascii: "."))
        message.append(contentsOf: timestamp.utf8)
        message.append(UInt8(ascii: "."))
        message.append(contentsOf: body)
        return message
    }

    static func code(of message: [UInt8], _ secret: WebhookSecret) -> [UInt8] {
        MessageAuthentication.hmacSHA256(key: secret.bytes, message: message)
    }

    /// The point separates what is signed, so an id with one could be read in two ways.
    static func isID(_ id: String) -> Bool {
        (1...Limits.idByteCount).contains(id.utf8.count)
            && id.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: ".") }
    }
}
