// SPDX-License-Identifier: Apache-2.0

/// The answer to a request.
///
/// Length, date and connection fields are the server's business. A field that HTTP cannot carry (a
/// line break in its value) is left out when the answer is sent.
public struct HTTPResponse: Sendable {
    /// A status from 200 to 599.
    public var status: Int

    /// The header fields.
    public var headers: HTTPHeaders

    /// The body; the server drops it in answers to `HEAD`.
    public var body: [UInt8]

    /// Makes an answer.
    public init(status: Int, headers: HTTPHeaders = HTTPHeaders(), body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}
