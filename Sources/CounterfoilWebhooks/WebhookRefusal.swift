// SPDX-License-Identifier: Apache-2.0

/// Why a webhook is not believed, or why something cannot be signed.
///
/// The message is safe to log. Answer 401 to a stranger and keep the reason to yourself.
public struct WebhookRefusal: Error, Sendable {
    /// A stable name for the reason.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Value: String {
            case secretInvalid = "webhook.secret_invalid"
            case idInvalid = "webhook.id_invalid"
            case headerMissing = "webhook.header_missing"
            case headerInvalid = "webhook.header_invalid"
            case tooOld = "webhook.too_old"
            case tooNew = "webhook.too_new"
            case signatureWrong = "webhook.signature_wrong"
        }

        private let value: Value

        /// The name, for programs.
        public var description: String { value.rawValue }

        /// The text or the bytes are no secret.
        public static let secretInvalid = Code(value: .secretInvalid)

        /// The id cannot be signed: it is empty, long, or has a point or a control character.
        public static let idInvalid = Code(value: .idInvalid)

        /// One of the three header fields is not there.
        public static let headerMissing = Code(value: .headerMissing)

        /// One of the three header fields is there twice or cannot be read.
        public static let headerInvalid = Code(value: .headerInvalid)

        /// It was signed too long ago: a copy of an old request, or a clock that goes wrong.
        public static let tooOld = Code(value: .tooOld)

        /// It was signed in the future: a clock that goes wrong.
        public static let tooNew = Code(value: .tooNew)

        /// No signature is that of a known secret over exactly these bytes.
        public static let signatureWrong = Code(value: .signatureWrong)
    }

    /// The reason.
    public let code: Code

    /// What is wrong, in words that hold nothing of the request or of a secret.
    public let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}

extension WebhookRefusal: CustomStringConvertible {
    /// Code and message.
    public var description: String { "\(code): \(message)" }
}
