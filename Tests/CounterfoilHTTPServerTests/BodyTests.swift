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

    @Test("A malformed chunk is refused", arguments: ["x\r\n", "-1\r\n", "5\r\nhelloworld\r\n"])
    func malformedChunk(chunk: String) async throws {
        try await withServer { port, handler in
            let client = try RawClient(port: port)
            await client.send(Self.head + "Transfer-Encoding: chunked\r\n\r\n" + chunk)
            #expect(await client.read().hasPrefix("HTTP/1.1 400 "))
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
            }, configure: { $0.maximumBufferedByteCount = 8 }
        ) { port, _ in
            let request = Self.head + "Connection: close\r\nContent-Length: 5\r\n\r\nhello"
            let first = try RawClient(port: port)
            await first.send(request)
            await gate.arrival()
            let second = try RawClient(port: port)
            await second.send(request)
            #expect(await second.read().contains("Refusal: http.overloaded"))
            await gate.open()
            #expect(await first.read().hasSuffix("hello"))
            let third = try RawClient(port: port)
            await third.send(request)
            #expect(await third.read().hasSuffix("hello"))
        }
    }
}
