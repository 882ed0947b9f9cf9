// SPDX-License-Identifier: Apache-2.0

import CounterfoilHTTP
import Synchronization
import Testing

/// One request that must be refused, in raw bytes.
struct HostileHead: CustomTestStringConvertible, Sendable {
    let name: String
    let bytes: String
    let status: Int
    let code: String?

    init(_ name: String, _ status: Int, _ code: String?, _ bytes: String) {
        (self.name, self.status, self.code, self.bytes) = (name, status, code, bytes)
    }

    var testDescription: String { name }

    private static let post = "POST /v1/purchases HTTP/1.1\r\nHost: a\r\n"
    private static let get = "GET / HTTP/1.1\r\nHost: a\r\n"
    private static let smuggled = "GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n"

    static let all = framing + spaces + limits

    private static let framing: [HostileHead] = [
        HostileHead(
            "two different Content-Length", 400, "http.framing_ambiguous",
            post + "Content-Length: 0\r\nContent-Length: 38\r\n\r\n" + smuggled),
        HostileHead(
            "two equal Content-Length", 400, "http.framing_ambiguous",
            post + "Content-Length: 1\r\nContent-Length: 1\r\n\r\nx"),
        HostileHead(
            "a list of Content-Length", 400, "http.content_length_invalid",
            post + "Content-Length: 1, 1\r\n\r\nx"),
        HostileHead(
            "a negative Content-Length", 400, "http.content_length_invalid",
            post + "Content-Length: -1\r\n\r\n"),
        HostileHead(
            "a Content-Length with a sign", 400, "http.content_length_invalid",
            post + "Content-Length: +1\r\n\r\nx"),
        HostileHead(
            "a Content-Length with letters", 400, "http.content_length_invalid",
            post + "Content-Length: 3abc\r\n\r\nabc"),
        HostileHead(
            "an empty Content-Length", 400, "http.content_length_invalid",
            post + "Content-Length: \r\n\r\n"),
        HostileHead(
            "a Content-Length beyond 64 bits", 413, "http.body_too_large",
            post + "Content-Length: 99999999999999999999999\r\n\r\n"),
        HostileHead(
            "Content-Length with Transfer-Encoding", 400, "http.framing_ambiguous",
            post + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + smuggled),
        HostileHead(
            "Transfer-Encoding with Content-Length", 400, "http.framing_ambiguous",
            post + "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n" + smuggled),
        HostileHead(
            "an unknown Transfer-Encoding", 501, "http.transfer_encoding_unsupported",
            post + "Transfer-Encoding: gzip\r\n\r\n"),
        HostileHead(
            "chunked in a list", 501, "http.transfer_encoding_unsupported",
            post + "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n"),
        HostileHead(
            "chunked with a trailing space", 501, "http.transfer_encoding_unsupported",
            post + "Transfer-Encoding: chunked \r\n\r\n0\r\n\r\n"),
        HostileHead(
            "two Transfer-Encoding", 501, "http.transfer_encoding_unsupported",
            post + "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n"),
        HostileHead(
            "chunked in HTTP/1.0", 400, "http.framing_ambiguous",
            "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
        HostileHead(
            "a NUL in a value", 400, "http.header_malformed", get + "X: a\0b\r\n\r\n"),
        HostileHead(
            "a NUL at the end of a value", 400, "http.header_malformed", get + "X: a\0\r\n\r\n"),
        HostileHead(
            "a NUL in the last value's place", 400, "http.header_malformed",
            get + "X:\0\r\nY: b\r\n\r\n"),
        HostileHead(
            "a NUL that hides a second Host", 400, "http.header_malformed",
            get + "X: a\0\r\nHost: b\r\n\r\n"),
        HostileHead(
            "a NUL in a name", 400, nil, get + "X\0Y: a\r\n\r\n"),
        HostileHead(
            "a bare CR in a value", 400, "http.header_malformed", get + "X: a\rY: b\r\n\r\n"),
        HostileHead(
            "a bare LF between fields", 400, "http.header_malformed",
            get + "X: a\nY: b\r\n\r\n"),
        HostileHead(
            "a bare LF at the end of the head", 400, "http.header_malformed",
            get + "X: a\r\n\n"),
        HostileHead(
            "a bare LF behind the request line", 400, "http.header_malformed",
            "GET / HTTP/1.1\nHost: a\r\n\r\n"),
        HostileHead(
            "a folded value", 400, "http.header_malformed",
            get + "X: a\r\n b\r\nY: c\r\n\r\n"),
        HostileHead(
            "a folded Content-Length", 400, "http.header_malformed",
            post + "Content-Length: 5\r\n 5\r\nY: c\r\n\r\n"),
        HostileHead(
            "a space before the colon", 400, "http.header_malformed",
            get + "X : a\r\n\r\n"),
        HostileHead("a line without a colon", 400, nil, get + "nonsense\r\n\r\n"),
        HostileHead("an empty name", 400, "http.header_malformed", get + ": a\r\n\r\n"),
        HostileHead(
            "a control character in a value", 400, "http.header_malformed",
            get + "X: \u{1}\r\n\r\n"),
    ]

    /// Bytes that some reader somewhere takes for white space.
    private static let spaces: [HostileHead] = [
        HostileHead(
            "a vertical tab in a value", 400, "http.header_malformed", get + "X: a\u{B}b\r\n\r\n"),
        HostileHead(
            "a form feed in a value", 400, "http.header_malformed", get + "X: a\u{C}\r\n\r\n"),
        HostileHead(
            "a vertical tab before the colon", 400, "http.header_malformed",
            get + "X\u{B}: a\r\n\r\n"),
        HostileHead(
            "a form feed before a name", 400, "http.header_malformed",
            get + "\u{C}X: a\r\n\r\n"),
        HostileHead(
            "a line that a vertical tab would fold", 400, "http.header_malformed",
            get + "X: a\r\n\u{B}b: c\r\n\r\n"),
        HostileHead(
            "a tab before the colon", 400, "http.header_malformed", get + "X\t: a\r\n\r\n"),
        HostileHead(
            "a line folded by a tab", 400, "http.header_malformed",
            get + "X: a\r\n\tb\r\nY: c\r\n\r\n"),
        HostileHead(
            "a vertical tab before chunked", 400, "http.header_malformed",
            post + "Transfer-Encoding:\u{B}chunked\r\n\r\n0\r\n\r\n"),
        HostileHead(
            "a form feed behind chunked", 400, "http.header_malformed",
            post + "Transfer-Encoding: chunked\u{C}\r\n\r\n0\r\n\r\n"),
        HostileHead(
            "a tab behind chunked", 501, "http.transfer_encoding_unsupported",
            post + "Transfer-Encoding: chunked\t\r\n\r\n0\r\n\r\n"),
        HostileHead(
            "a no-break space before chunked", 501, "http.transfer_encoding_unsupported",
            post + "Transfer-Encoding: \u{A0}chunked\r\n\r\n0\r\n\r\n"),
        HostileHead(
            "a vertical tab behind a Content-Length", 400, "http.content_length_invalid",
            post + "Content-Length: 5\u{B}\r\n\r\nhello"),
        HostileHead(
            "a form feed before a Content-Length", 400, "http.content_length_invalid",
            post + "Content-Length:\u{C}5\r\n\r\nhello"),
        HostileHead(
            "a no-break space in a Content-Length", 400, "http.content_length_invalid",
            post + "Content-Length: \u{A0}5\r\n\r\nhello"),
        HostileHead(
            "a next-line character in a name", 400, "http.header_malformed",
            get + "X\u{85}: a\r\n\r\n"),
        HostileHead(
            "a vertical tab behind the method", 400, nil,
            "GET\u{B}/ HTTP/1.1\r\nHost: a\r\n\r\n"),
        HostileHead(
            "a tab behind the method", 400, nil, "GET\t/ HTTP/1.1\r\nHost: a\r\n\r\n"),
        HostileHead(
            "a form feed before the version", 400, nil,
            "GET /\u{C}HTTP/1.1\r\nHost: a\r\n\r\n"),
        HostileHead(
            "a vertical tab behind the version", 400, nil,
            "GET / HTTP/1.1\u{B}\r\nHost: a\r\n\r\n"),
        HostileHead(
            "a vertical tab in the target", 400, "http.target_malformed",
            "GET /a\u{B}b HTTP/1.1\r\nHost: a\r\n\r\n"),
        HostileHead(
            "a tab in the target", 400, "http.target_malformed",
            "GET /a\tb HTTP/1.1\r\nHost: a\r\n\r\n"),
        HostileHead(
            "a form feed in a Host", 400, "http.header_malformed",
            "GET / HTTP/1.1\r\nHost: a\u{C}b\r\n\r\n"),
    ]

    private static let limits: [HostileHead] = [
        HostileHead("no Host", 400, "http.host_missing", "GET / HTTP/1.1\r\nX: a\r\n\r\n"),
        HostileHead("no field at all", 400, "http.host_missing", "GET / HTTP/1.1\r\n\r\n"),
        HostileHead("two Hosts", 400, "http.host_repeated", get + "Host: b\r\n\r\n"),
        HostileHead(
            "two Hosts in HTTP/1.0", 400, "http.host_repeated",
            "GET / HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n"),
        HostileHead(
            "101 fields", 431, "http.too_many_headers",
            get + String(repeating: "X: a\r\n", count: 100) + "\r\n"),
        HostileHead(
            "17 KB of fields", 431, "http.headers_too_large",
            get + "X: " + String(repeating: "a", count: 17 << 10) + "\r\n\r\n"),
        HostileHead(
            "17 KB of target and fields", 431, "http.headers_too_large",
            "GET /" + String(repeating: "a", count: 8000) + " HTTP/1.1\r\nHost: a\r\nX: "
                + String(repeating: "a", count: 9000) + "\r\n\r\n"),
        HostileHead(
            "64 KB of fields", 431, "http.headers_too_large",
            get + "X: " + String(repeating: "a", count: 64 << 10) + "\r\n\r\n"),
        HostileHead(
            "a target of 9 KB", 414, "http.target_too_long",
            "GET /" + String(repeating: "a", count: 9 << 10) + " HTTP/1.1\r\nHost: a\r\n\r\n"),
        HostileHead(
            "a target of 100 KB", 414, nil,
            "GET /" + String(repeating: "a", count: 100 << 10) + " HTTP/1.1\r\nHost: a\r\n\r\n"),
        HostileHead(
            "a query of 4,000 pairs", 414, "http.query_too_long",
            "GET /?" + String(repeating: "a&", count: 4000) + " HTTP/1.1\r\nHost: a\r\n\r\n"),
        HostileHead(
            "a target with a space", 400, "http.target_malformed",
            "GET /a b HTTP/1.1\r\nHost: a\r\n\r\n"),
        HostileHead(
            "a target with a NUL", 400, "http.request_line_malformed",
            "GET /a\0b HTTP/1.1\r\nHost: a\r\n\r\n"),
        HostileHead(
            "an encoded NUL in the target", 400, "http.target_malformed",
            "GET /a%00b HTTP/1.1\r\nHost: a\r\n\r\n"),
        HostileHead(
            "half an escape in the target", 400, "http.target_malformed",
            "GET /a%2 HTTP/1.1\r\nHost: a\r\n\r\n"),
        HostileHead(
            "an escape that is not UTF-8", 400, "http.target_malformed",
            "GET /%FF HTTP/1.1\r\nHost: a\r\n\r\n"),
        HostileHead(
            "two spaces in the request line", 400, "http.request_line_malformed",
            "GET  / HTTP/1.1\r\nHost: a\r\n\r\n"),
        HostileHead(
            "a method that is no token", 400, "http.request_line_malformed",
            "G(T / HTTP/1.1\r\nHost: a\r\n\r\n"),
        HostileHead("an unknown version", 505, nil, "GET / HTTP/9.9\r\nHost: a\r\n\r\n"),
        HostileHead("HTTP/2", 505, nil, "GET / HTTP/2.0\r\nHost: a\r\n\r\n"),
        HostileHead("no version", 400, nil, "GET /\r\n\r\n"),
    ]
}

@Suite("Hostile heads")
struct HostileHeads {
    @Test(
        "A head that two servers could read differently is refused and the connection closed",
        arguments: HostileHead.all)
    func refused(head: HostileHead) async throws {
        try await withServer { port, handler in
            let client = try RawClient(port: port)
            await client.send(head.bytes)
            let answer = await client.read()
            #expect(answer.hasPrefix("HTTP/1.1 \(head.status) "), "\(answer)")
            if let code = head.code { #expect(answer.contains("\r\nRefusal: \(code)\r\n")) }
            #expect(answer.lowercased().contains("\r\nconnection: close\r\n"))
            #expect(answer.components(separatedBy: "HTTP/1.1 ").count == 2, "\(answer)")
            #expect(handler.count.load(ordering: .relaxed) == 0)
        }
    }

    @Test("A head within every limit is served")
    func limitsAreReachable() async throws {
        try await withServer { port, _ in
            let client = try RawClient(port: port)
            let fields =
                String(repeating: "X: a\r\n", count: 96)
                + "Y: " + String(repeating: "a", count: 8000) + "\r\n"
            await client.send(
                "GET /" + String(repeating: "b", count: 8000)
                    + " HTTP/1.1\r\nHost: a\r\n" + fields + "Connection: close\r\n\r\n")
            #expect(await client.read().hasPrefix("HTTP/1.1 200 "))
        }
    }
}

extension String {
    func components(separatedBy separator: String) -> [Substring] {
        split(separator: separator, omittingEmptySubsequences: false)
    }
}
