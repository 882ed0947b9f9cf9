// SPDX-License-Identifier: Apache-2.0

/// A whole request that passed the server's guards.
public struct HTTPRequest: Sendable {
    /// What is to be done.
    public let method: HTTPMethod

    /// Path and query.
    public let target: HTTPTarget

    /// The header fields; trailers are not kept.
    public let headers: HTTPHeaders

    /// The body without transfer coding; empty where there is none.
    public let body: [UInt8]

    /// The address of the other end in numbers, without port; a proxy's where one stands between.
    public let remoteAddress: String

    /// Makes a request; the server does, and so do tests of handlers.
    public init(
        method: HTTPMethod, target: HTTPTarget, headers: HTTPHeaders = HTTPHeaders(),
        body: [UInt8] = [], remoteAddress: String
    ) {
        self.method = method
        self.target = target
        self.headers = headers
        self.body = body
        self.remoteAddress = remoteAddress
    }
}
