// SPDX-License-Identifier: Apache-2.0

import CounterfoilHTTP
import CounterfoilHTTPServer
import Synchronization
import Testing

@Suite("Request bodies")
struct RequestBodies {
    private static let head = "POST /p HTTP/1.1\r\nHost: a\r\n"

    @Test("A body with a length arrives whole, also byte by byte")
    func byteByByte() async throws {
        try await withServer { port, _ in
            let client = try RawClient(port: port)
            for byte in (Self.head + "Connection: close\r\nContent-Length: 5\r\n\r\nhello").utf8 {
                await client.send([byte])
            }
            #expect(await client.read().hasSuffix("POST /p hello"))
        }
    }

    @Test("A chunked body arrives without its framing")
    func chunked() async throws {
        try await withServer { port, _ in
            let client = try RawClient(port: port)
            await client.send(
                Self.head + "Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n"
                    + "3\r\nhel\r\n2;x=y\r\nlo\r\n0\r\nTrailer: t\r\n\r\n")
            #expect(await client.read().hasSuffix("POST /p hello"))
        }
    }

    @Test(
        "A chunk that no strict reader takes is refused",
        arguments: [
            "x\r\n", "-1\r\n", "+5\r\n", "0x5\r\n", " 5\r\n", "5 \r\n", ";a=b\r\n", "\r\n",
            "5\r\nhelloworld\r\n",
        ])
    func malformedChunk(chunk: String) async throws {
        try await refused("400", "http.chunk_malformed", chunk)
    }

    @Test(
        "A chunk size that overflows is refused, also one that would wrap to a valid one",
        arguments: ["FFFFFFFFFFFFFFFF1\r\n", "10000000000000005\r\nhello\r\n0\r\n\r\n"])
    func chunkOverflow(chunk: String) async throws {
        try await refused("413", "http.body_too_large", chunk)
    }

    /// The library takes a bare line feed for a line's end, and 0.9.75 has no option against it.
    @Test(
        "What stands behind a chunked body is never served, wherever a proxy saw the body end",
        arguments: [
            "5\r\nhello\r\n0\r\n\r\n", "5\nhello\r\n0\r\n\r\n", "5\r\nhello\n0\r\n\r\n",
            "5;a=b\nhello\r\n0\r\n\r\n", "5\r\nhello\r\n0\n\r\n", "5\r\nhello\r\n0\r\n\n",
            "5\nhello\n0\n\n", "5\r\nhello\r\n0\r\nTrailer: t\n\n",
            "5\r\nhello\r\n0;\nGET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n",
        ], [false, true])
    func nothingBehindChunks(chunks: String, byteByByte: Bool) async throws {
        try await withServer { port, handler in
            let client = try RawClient(port: port)
            let all =
                Self.head + "Transfer-Encoding: chunked\r\n\r\n" + chunks
                + "GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n"
            if byteByByte {
                for byte in all.utf8 { await client.send([byte]) }
            } else {
                await client.send(all)
            }
            let answer = await client.read()
            #expect(answer.components(separatedBy: "HTTP/1.1 ").count == 2, "\(answer)")
            #expect(answer.lowercased().contains("\r\nconnection: close\r\n"))
            #expect(!answer.contains("/smuggled"))
            #expect(handler.count.load(ordering: .relaxed) <= 1)
        }
    }

    private func refused(_ status: String, _ code: String, _ chunk: String) async throws {
        try await withServer { port, handler in
            let client = try RawClient(port: port)
            await client.send(Self.head + "Transfer-Encoding: chunked\r\n\r\n" + chunk)
            let answer = await client.read()
            #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(answer)")
            #expect(answer.contains("\r\nRefusal: \(code)\r\n"))
            #expect(answer.components(separatedBy: "HTTP/1.1 ").count == 2)
            #expect(handler.count.load(ordering: .relaxed) == 0)
        }
    }

    @Test("A body announced as too long is refused before any of it was sent")
    func announcedTooLong() async throws {
        try await withServer { port, handler in
            let client = try RawClient(port: port)
            await client.send(Self.head + "Content-Length: 9437184\r\n\r\n")
            let answer = await client.read()
            #expect(answer.hasPrefix("HTTP/1.1 413 "))
            #expect(answer.contains("8388608 bytes"))
            #expect(handler.count.load(ordering: .relaxed) == 0)
        }
    }

    @Test("A client that sends 9 MB regardless still reads the refusal")
    func sentTooLong() async throws {
        try await withServer { port, _ in
            let client = try RawClient(port: port)
            await client.send(Self.head + "Content-Length: 9437184\r\n\r\n")
            await client.send([UInt8](repeating: 0x61, count: 9_437_184))
            #expect(await client.read().hasPrefix("HTTP/1.1 413 "))
        }
    }

    @Test("A chunked body is refused when it passes the limit, not when it ends")
    func chunkedTooLong() async throws {
        try await withServer(configure: { $0.maximumBodyByteCount = 1000 }) { port, handler in
            let client = try RawClient(port: port)
            let chunk = "200\r\n" + String(repeating: "a", count: 512) + "\r\n"
            await client.send(Self.head + "Transfer-Encoding: chunked\r\n\r\n" + chunk + chunk)
            #expect(await client.read().hasPrefix("HTTP/1.1 413 "))
            #expect(handler.count.load(ordering: .relaxed) == 0)
        }
    }

    @Test("A body of exactly the limit is served")
    func exactLimit() async throws {
        try await withServer(configure: { $0.maximumBodyByteCount = 5 }) { port, _ in
            let client = try RawClient(port: port)
            await client.send(Self.head + "Connection: close\r\nContent-Length: 5\r\n\r\nhello")
            #expect(await client.read().hasPrefix("HTTP/1.1 200 "))
        }
    }

    @Test("A client that asks first is told to go on, or refused before it sends")
    func expectContinue() async throws {
        try await withServer { port, _ in
            let client = try RawClient(port: port)
            await client.send(
                Self.head + "Connection: close\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n"
            )
            #expect(await client.read(until: "\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n")
            await client.send("hello")
            #expect(await client.read().hasPrefix("HTTP/1.1 200 "))

            let tooLong = try RawClient(port: port)
            await tooLong.send(
                Self.head + "Expect: 100-continue\r\nContent-Length: 9437184\r\n\r\n")
            #expect(await tooLong.read().hasPrefix("HTTP/1.1 413 "))
        }
    }

    @Test("Bodies beyond the common budget are refused until others are done")
    func budget() async throws {
        let gate = Gate()
        try await withServer(
            { request in
                await gate.pass()
                return await echo(request)
            },
            configure: {
                $0.maximumBufferedByteCount = 80_000
            }
        ) { port, _ in
            let large =
                Self.head + "Connection: close\r\nContent-Length: 100000\r\n\r\n"
                + String(repeating: "a", count: 100_000)
            let small = Self.head + "Connection: close\r\nContent-Length: 5\r\n\r\nhello"
            let first = try RawClient(port: port)
            await first.send(large)
            await gate.arrival()
            let second = try RawClient(port: port)
            await second.send(large)
            #expect(await second.read().contains("Refusal: http.overloaded"))
            let third = try RawClient(port: port)
            await third.send(small)
            await gate.open()
            #expect(await third.read().hasSuffix("hello"))
            #expect(await first.read().hasSuffix("aaa"))
            let fourth = try RawClient(port: port)
            await fourth.send(large)
            #expect(await fourth.read().hasSuffix("aaa"))
        }
    }
}
