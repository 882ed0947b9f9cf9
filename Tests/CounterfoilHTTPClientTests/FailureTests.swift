// SPDX-License-Identifier: Apache-2.0

import CounterfoilHTTP
import CounterfoilHTTPClient
import CounterfoilTestSupport
import Synchronization
import Testing

@Suite("Servers that fail")
struct Failures {
    @Test("A port where nobody listens is an error at once, and nothing was sent")
    func refused() async throws {
        let client = try HTTPClient()
        let port = QuietPort.find()
        let error = try #require(await client.failure(of: .post, "http://127.0.0.1:\(port)/"))
        #expect(error.code == .connect)
        #expect(!error.wasSent)
        #expect(!error.description.contains("127.0.0.1"))
        #expect(error.debugDescription.contains("127.0.0.1"))
        await client.close(gracePeriod: .zero)
    }

    @Test(
        "An answer that ends too early is no answer",
        arguments: [
            "", "HTTP/1.1 200", "HTTP/1.1 200 OK\r\nContent-Le",
            "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n12345",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabc",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n",
        ])
    func cut(_ answer: String) async throws {
        try await withServer { connection in
            _ = connection.readRequest()
            connection.send(answer)
        } _: { client, url, _ in
            let error = try #require(await client.failure(of: .post, url))
            #expect(error.code == .interrupted)
            #expect(error.wasSent)
        }
    }

    @Test(
        "What is not HTTP/1.1 is no answer",
        arguments: [
            "hello\r\n\r\n", "SSH-2.0-x\r\n", "HTTP/2 200 OK\r\n\r\n",
            "HTTP/1.1 200 OK\r\nno field\r\n\r\n", "HTTP/1.1 200 OK\r\nA: b\r\n folded\r\n\r\n",
            "HTTP/1.1 200 OK\r\nA: \u{0}\r\n\r\n",
        ])
    func foreign(_ answer: String) async throws {
        try await withServer { connection in
            _ = connection.readRequest()
            connection.send(answer)
            connection.send(String(repeating: "x", count: 100))
        } _: { client, url, _ in
            let error = try #require(await client.failure(of: .get, url))
            #expect(error.code == .protocolViolation)
        }
    }

    @Test(
        "An answer beyond its limit is refused, announced or not",
        arguments: [
            "Content-Length: 9223372036854775807\r\n\r\n", "Content-Length: 11\r\n\r\n",
            "Transfer-Encoding: chunked\r\n\r\nB\r\n12345678901\r\n0\r\n\r\n", "\r\n12345678901",
        ])
    func tooLong(_ rest: String) async throws {
        try await withServer { connection in
            _ = connection.readRequest()
            connection.send("HTTP/1.1 200 OK\r\n" + rest)
        } _: { client, url, _ in
            let request = OutgoingRequest(method: .get, url: url, maximumAnswerByteCount: 10)
            #expect(await client.failure(request)?.code == .tooLarge)
        }
    }

    @Test("A body of exactly the limit is taken, also if that is none", arguments: [0, 10])
    func exactLimit(_ limit: Int) async throws {
        try await withServer { connection in
            _ = connection.readRequest()
            connection.answer(String(repeating: "x", count: limit))
        } _: { client, url, _ in
            let answer = try await client.get(url, limit: limit)
            #expect(answer.body.count == limit)
        }
    }

    @Test(
        "A head beyond the limit is refused",
        arguments: [
            ("HTTP/1.1 200 OK\r\n", "A: b\r\n", 20_000),
            ("HTTP/1.1 200 OK\r\nA: ", "b", 2_000_000),
            ("HTTP/1.1 200 OK\r\nA: ", "0123456789", 7_000),
            ("", "HTTP/1.1 100 Continue\r\n\r\n", 4_000),
        ])
    func longHead(start: String, repeated: String, count: Int) async throws {
        try await withServer { connection in
            _ = connection.readRequest()
            connection.send(start + String(repeating: repeated, count: count) + "\r\n\r\n")
            connection.awaitClose()
        } _: { client, url, _ in
            #expect(await client.failure(of: .get, url)?.code == .tooLarge)
        }
    }

    @Test("What is sent again when a kept connection dies, and what is not")
    func deadConnection() async throws {
        let requests = Mutex<[String]>([])
        // The first connection answers once and dies of the second request.
        let script: RawServer.Script = { connection in
            var rest = connection.number == 1 ? 1 : Int.max
            while let request = connection.readRequest() {
                requests.withLock {
                    $0.append("\(request.prefix { $0 != " " }) \(connection.number)")
                }
                guard rest > 0, connection.answer("") else { break }
                rest -= 1
            }
        }
        try await withServer(script) { client, url, _ in
            _ = try await client.get(url)
            _ = try await client.get(url)
            #expect(requests.withLock { $0 } == ["GET 1", "GET 1", "GET 2"])
        }
        requests.withLock { $0 = [] }
        try await withServer(script) { client, url, _ in
            _ = try await client.get(url)
            let error = try #require(await client.failure(of: .post, url))
            #expect(error.code == .interrupted)
            #expect(error.wasSent)
            #expect(requests.withLock { $0 } == ["GET 1", "POST 1"])
            let answer = try await client.post(url, "")
            #expect(answer.status == 200)
        }
    }

    @Test("Plain HTTP where TLS is expected is an error of TLS")
    func plainBehindTLS() async throws {
        try await withServer { connection in
            connection.send("HTTP/1.1 400 Bad Request\r\n\r\n")
            connection.awaitClose()
        } _: { client, url, _ in
            let error = try #require(
                await client.failure(of: .get, url.replacing("http:", with: "https:")))
            #expect(error.code == .tls)
            #expect(!error.wasSent)
        }
    }
}
