// SPDX-License-Identifier: Apache-2.0

/// A request to another server.
public struct OutgoingRequest: Sendable {
    /// What most answers fit in with room: Apple's pages of signed transactions take some 100 KB,
    /// the largest real answer known (a receipt of 600 purchases) 530 KB.
    public static let usualAnswerByteCount = 4 << 20

    /// The method; anything but `CONNECT`.
    public var method: HTTPMethod

    /// An absolute address with the scheme `http` or `https`, percent-encoded, without user name.
    public var url: String

    /// The header fields. `Host`, `Content-Length` and what else frames a message belong to the
    /// transport, and a request that has them is refused.
    public var headers: HTTPHeaders

    /// The body; empty where there is none.
    public var body: [UInt8]

    /// How long the answer's body may be. A longer one fails with
    /// ``HTTPTransportError/Code/tooLarge`` and is not read to its end.
    public var maximumAnswerByteCount: Int

    /// Takes everything as it is; ``HTTPTransport/send(_:deadline:)`` checks it.
    public init(
        method: HTTPMethod, url: String, headers: HTTPHeaders = HTTPHeaders(), body: [UInt8] = [],
        maximumAnswerByteCount: Int = Self.usualAnswerByteCount
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.maximumAnswerByteCount = maximumAnswerByteCount
    }
}
