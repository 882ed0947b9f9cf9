// SPDX-License-Identifier: Apache-2.0

public import CounterfoilCore

/// What the sender and the receiver of webhooks share: the key of the signatures.
///
/// Its text is what Standard Webhooks 1.0.0 writes: `whsec_` and base64. Neither `description` nor
/// `debugDescription` shows it.
public struct WebhookSecret: Hashable, Sendable {
    /// What stands before the base64.
    public static let prefix = "whsec_"

    /// The key's bytes, 24 to 64 of them.
    public let bytes: [UInt8]

    /// Takes 24 to 64 bytes.
    ///
    /// - Throws: `webhook.secret_invalid` for any other number of them.
    public init(bytes: [UInt8]) throws(WebhookRefusal) {
        guard Limits.secretByteCounts.contains(bytes.count) else {
            throw WebhookRefusal(
                .secretInvalid, "a secret has 24 to 64 bytes, this one \(bytes.count)")
        }
        self.bytes = bytes
    }

    /// Reads the text of a secret; the prefix may be missing, as it may in other libraries.
    ///
    /// - Throws: `webhook.secret_invalid`; the message holds nothing of the text.
    public init(_ text: String) throws(WebhookRefusal) {
        let encoded = text.hasPrefix(Self.prefix) ? text.dropFirst(Self.prefix.count) : text[...]
        guard let bytes = Base64.decode(Array(encoded.utf8), .standard) else {
            throw WebhookRefusal(.secretInvalid, "the secret is not whsec_ and base64")
        }
        try self.init(bytes: bytes)
    }

    /// Makes a new secret of 32 bytes.
    public init(random: some RandomSource) {
        bytes = random.bytes(Limits.freshSecretByteCount)
    }

    /// The secret as the other side needs it; whoever reads it can sign.
    public var text: String { Self.prefix + Base64.encode(bytes, .standard) }
}

extension WebhookSecret: CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    /// The prefix, and nothing of the key.
    public var description: String { "\(Self.prefix)…" }

    /// The prefix, and nothing of the key.
    public var debugDescription: String { description }

    /// No children, so that dumping a value that holds a secret does not show it.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
