// SPDX-License-Identifier: Apache-2.0

internal import CounterfoilHTTP

/// A head that passed: what it asks for and what follows it.
struct AcceptedHead {
    /// How the end of the body is known.
    enum Framing {
        case length(Int), chunked

        /// The length, where it was announced.
        var byteCount: Int? {
            if case .length(let count) = self { count } else { nil }
        }
    }

    let method: HTTPMethod
    let target: HTTPTarget
    let headers: HTTPHeaders
    let framing: Framing
}

/// Refuses heads that two servers could read differently, or that break a limit.
///
/// The library lets each of these through; a proxy in front of us that reads one another way could
/// be made to smuggle a second request (RFC 9112 § 11.2).
struct HeadGuard {
    let maximumBodyByteCount: Int

    func judge(_ head: RequestHead) throws(HTTPRefusal) -> AcceptedHead {
        guard head.hasPlainRequestLine, RequestHead.isToken(head.method.utf8) else {
            throw HTTPRefusal(400, "http.request_line_malformed", "the request line is malformed")
        }
        guard head.target.utf8.count <= Limits.targetByteCount else {
            throw HTTPRefusal(
                414, "http.target_too_long",
                "the request target is longer than \(Limits.targetByteCount) bytes")
        }
        try checkFields(head)
        let framing = try checkFraming(head)
        guard let target = HTTPTarget(head.target) else {
            throw HTTPRefusal(400, "http.target_malformed", "the request target is malformed")
        }
        return AcceptedHead(
            method: HTTPMethod(rawValue: head.method), target: target,
            headers: HTTPHeaders(head.fields), framing: framing)
    }

    private func checkFields(_ head: RequestHead) throws(HTTPRefusal) {
        guard head.hasPlainFields else {
            throw HTTPRefusal(
                400, "http.header_malformed",
                "a header field is not one line of a name, a colon and a printable value")
        }
        guard head.fields.count <= Limits.headerCount else {
            throw HTTPRefusal(
                431, "http.too_many_headers",
                "there are more than \(Limits.headerCount) header fields")
        }
        guard head.byteCount <= Limits.headByteCount else { throw Self.headTooLarge }
        guard head.hostCount == 1 || head.hostCount == 0 && head.version == "HTTP/1.0" else {
            throw HTTPRefusal(
                400, head.hostCount == 0 ? "http.host_missing" : "http.host_repeated",
                "there must be exactly one Host field")
        }
    }

    /// Finds where the request ends, if there is only one way to read it.
    private func checkFraming(
        _ head: RequestHead
    ) throws(HTTPRefusal) -> AcceptedHead.Framing {
        if let coding = head.transferEncodings.first {
            guard head.transferEncodings.count == 1, coding.lowercased() == "chunked" else {
                throw HTTPRefusal(
                    501, "http.transfer_encoding_unsupported",
                    "the only transfer encoding taken is chunked, once")
            }
            guard head.contentLengths.isEmpty, head.version != "HTTP/1.0" else {
                throw HTTPRefusal(
                    400, "http.framing_ambiguous",
                    "Transfer-Encoding excludes Content-Length and HTTP/1.0")
            }
            return .chunked
        }
        guard head.contentLengths.count <= 1 else {
            throw HTTPRefusal(
                400, "http.framing_ambiguous", "there is more than one Content-Length field")
        }
        guard let text = head.contentLengths.first else { return .length(0) }
        return .length(try Self.length(text, maximum: maximumBodyByteCount))
    }

    /// Reads a Content-Length that must be digits and nothing else.
    static func length(_ text: String, maximum: Int) throws(HTTPRefusal) -> Int {
        guard !text.isEmpty, text.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else {
            throw HTTPRefusal(
                400, "http.content_length_invalid", "Content-Length is not one number")
        }
        guard let length = Int(text), length <= maximum else { throw bodyTooLarge(maximum) }
        return length
    }

    static func bodyTooLarge(_ maximum: Int) -> HTTPRefusal {
        HTTPRefusal(413, "http.body_too_large", "the body is longer than \(maximum) bytes")
    }

    static let headTooLarge = HTTPRefusal(
        431, "http.headers_too_large",
        "target and header fields have more than \(Limits.headByteCount) bytes")

    static let chunkMalformed = HTTPRefusal(
        400, "http.chunk_malformed", "the body's chunked coding is malformed")
}

extension HTTPRefusal {
    fileprivate init(_ status: Int, _ code: String, _ message: String) {
        self.init(status: status, code: code, message: message)
    }
}
