// SPDX-License-Identifier: Apache-2.0

import CounterfoilHTTP
import CounterfoilHTTPClient
import CounterfoilTestSupport
import Synchronization
import Testing

@Suite("Requests and answers")
struct Exchanges {
    /// What the server reads when the request is sent.
    private func sent(_ request: (String) -> OutgoingRequest) async throws -> String {
        let seen = Mutex("")
        try await withServer { connection in
            let text = connection.readRequest() ?? ""
            seen.withLock { $0 = text }
            connection.answer("")
        } _: { client, url, _ in
            _ = try await client.send(request(url), deadline: patience)
        }
        return seen.withLock { $0 }
    }

    @Test("An answer comes with status, fields and body")
    func wholeAnswer() async throws {
        try await withServer { connection in
            _ = connection.readRequest()
            connection.answer(
                "héllo\u{0}", status: "418 No", headers: "X-A:  one \r\nx-a: two\r\nX-Empty:\r\n")
        } _: { client, url, _ in
            let answer = try await client.get(url + "/a")
            #expect(answer.status == 418)
            #expect(answer.text == "héllo\u{0}")
            #expect(answer.headers.values(of: "X-a") == ["one", "two"])
            #expect(answer.headers["x-empty"] == "")
        }
    }

    @Test("A request leaves as it was made, with nothing of the library's beside it")
    func wholeRequest() async throws {
        let text = try await sent { url in
            OutgoingRequest(
                method: .post, url: url + "/a/../b?c=%20d",
                headers: ["X-One": "1", "X-Empty": "", "X-Blank": " "], body: Array("hello".utf8))
        }
        let lines = text.split(separator: "\r\n", omittingEmptySubsequences: false)
        #expect(lines.first == "POST /a/../b?c=%20d HTTP/1.1")
        #expect(lines.last == "hello")
        let names = lines.dropFirst().dropLast(2).map { $0.prefix { $0 != ":" } }
        #expect(
            Set(names)
                == [
                    "Host", "User-Agent", "Accept", "X-One", "X-Empty", "X-Blank", "Content-Length",
                ])
        #expect(lines.contains("User-Agent: Counterfoil"))
        #expect(lines.contains("Content-Length: 5"))
    }

    @Test("A long body is sent without asking first")
    func longBody() async throws {
        let body = [UInt8](repeating: UInt8(ascii: "x"), count: 3 << 20)
        let text = try await sent { url in
            OutgoingRequest(
                method: .put, url: url, headers: ["Content-Type": "application/json"], body: body)
        }
        #expect(text.hasPrefix("PUT / HTTP/1.1\r\n"))
        #expect(text.contains("\r\nContent-Type: application/json\r\n"))
        #expect(!text.contains("Expect"))
        #expect(text.utf8.count > body.count)
    }

    @Test(
        "A length of zero is sent where a body is usual",
        arguments: [
            (HTTPMethod.get, false), (.delete, false), (.post, true), (.put, true), (.patch, true),
            (.head, false),
        ])
    func emptyBody(_ method: HTTPMethod, hasLength: Bool) async throws {
        let text = try await sent { OutgoingRequest(method: method, url: $0) }
        #expect(text.hasPrefix("\(method) / HTTP/1.1\r\n"))
        #expect(text.contains("Content-Length: 0") == hasLength)
    }

    @Test("An answer to HEAD has fields and no body, whatever length it announces")
    func head() async throws {
        try await withServer { connection in
            while connection.readRequest() != nil {
                connection.send("HTTP/1.1 200 OK\r\nContent-Length: 99999999\r\n\r\n")
            }
        } _: { client, url, server in
            for _ in 0..<2 {
                let answer = try await client.send(
                    OutgoingRequest(method: .head, url: url, maximumAnswerByteCount: 10),
                    deadline: patience)
                #expect(answer.headers["Content-Length"] == "99999999")
                #expect(answer.body == [])
            }
            #expect(server.connectionCount == 1)
        }
    }

    @Test("Pieces are put together; trailers and interim answers are not kept")
    func pieces() async throws {
        try await withServer { connection in
            _ = connection.readRequest()
            connection.send("HTTP/1.1 100 Continue\r\nX-Interim: 1\r\n\r\n")
            connection.send("HTTP/1.1 103 Early Hints\r\nX-Interim: 2\r\n\r\n")
            connection.send("HTTP/1.1 200 OK\r\nX-Final: 3\r\nTransfer-Encoding: chunked\r\n\r\n")
            connection.send("3\r\nabc\r\n4;x=y\r\ndefg\r\n0\r\nX-Trailer: 4\r\n\r\n")
            connection.awaitClose()
        } _: { client, url, _ in
            let answer = try await client.get(url)
            #expect(answer.status == 200)
            #expect(answer.text == "abcdefg")
            #expect(answer.headers.fields.map(\.name) == ["X-Final", "Transfer-Encoding"])
        }
    }

    @Test("Without a length the end of the connection ends the body")
    func untilClose() async throws {
        try await withServer { connection in
            _ = connection.readRequest()
            connection.send("HTTP/1.0 200 OK\r\n\r\nall of it")
        } _: { client, url, _ in
            let answer = try await client.get(url)
            #expect(answer.text == "all of it")
        }
    }

    @Test("A redirect is an answer", arguments: [301, 302, 303, 307, 308])
    func redirect(_ status: Int) async throws {
        try await withServer { connection in
            _ = connection.readRequest()
            connection.answer("", status: "\(status) Gone", headers: "Location: /elsewhere\r\n")
            connection.awaitClose()
        } _: { client, url, server in
            let answer = try await client.get(url)
            #expect(answer.status == status)
            #expect(answer.headers["Location"] == "/elsewhere")
            #expect(server.connectionCount == 1)
        }
    }

    @Test(
        "What cannot be sent is refused before it is",
        arguments: [
            OutgoingRequest(method: .get, url: ""),
            OutgoingRequest(method: .get, url: "127.0.0.1"),
            OutgoingRequest(method: .get, url: "//127.0.0.1/"),
            OutgoingRequest(method: .get, url: "http:/127.0.0.1/"),
            OutgoingRequest(method: .get, url: "http://"),
            OutgoingRequest(method: .get, url: "http://127.0.0.1:99999/"),
            OutgoingRequest(method: .get, url: "http://me:secret@127.0.0.1/"),
            OutgoingRequest(method: .get, url: "file:///etc/hostname"),
            OutgoingRequest(method: .get, url: "ftp://127.0.0.1/"),
            OutgoingRequest(method: .get, url: "gopher://127.0.0.1/"),
            OutgoingRequest(method: .get, url: "http://127.0.0.1/a b"),
            OutgoingRequest(method: .get, url: "http://127.0.0.1/\r\nX: y"),
            OutgoingRequest(method: .get, url: "http://127.0.0.1/\u{0}"),
            OutgoingRequest(method: .get, url: "http://127.0.0.1/é"),
            OutgoingRequest(
                method: .get, url: "http://127.0.0.1/" + String(repeating: "a", count: 8 << 10)),
            OutgoingRequest(method: HTTPMethod(rawValue: ""), url: "http://127.0.0.1/"),
            OutgoingRequest(method: HTTPMethod(rawValue: "GET /x"), url: "http://127.0.0.1/"),
            OutgoingRequest(method: HTTPMethod(rawValue: "CONNECT"), url: "http://127.0.0.1/"),
            OutgoingRequest(method: .head, url: "http://127.0.0.1/", body: [1]),
            OutgoingRequest(method: .get, url: "http://127.0.0.1/", headers: ["A": "b\r\nC: d"]),
            OutgoingRequest(method: .get, url: "http://127.0.0.1/", headers: ["A": "b\u{0}"]),
            OutgoingRequest(method: .get, url: "http://127.0.0.1/", headers: ["A b": "c"]),
            OutgoingRequest(method: .get, url: "http://127.0.0.1/", headers: ["": "c"]),
            OutgoingRequest(method: .get, url: "http://127.0.0.1/", headers: ["host": "b"]),
            OutgoingRequest(
                method: .get, url: "http://127.0.0.1/", headers: ["Content-Length": "3"]),
            OutgoingRequest(
                method: .get, url: "http://127.0.0.1/",
                headers: ["A": String(repeating: "b", count: 32 << 10)]),
        ])
    func invalid(_ request: OutgoingRequest) async throws {
        let client = try HTTPClient()
        let error = try #require(await client.failure(request))
        #expect(error.code == .requestInvalid)
        #expect(!error.wasSent)
        await client.close(gracePeriod: .zero)
    }

    @Test("A user agent that no field can hold is refused")
    func userAgent() throws {
        var configuration = HTTPClientConfiguration()
        configuration.userAgent = "a\r\nb"
        let error = #expect(throws: HTTPTransportError.self) {
            _ = try HTTPClient(configuration: configuration)
        }
        #expect(error?.code == .requestInvalid)
    }
}
