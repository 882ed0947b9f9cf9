// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilHTTP
import CounterfoilHTTPClient
import CounterfoilTestSupport
import Synchronization
import Testing

@Suite("Addresses that others may name")
struct AddressesOthersMayName {
    @Test(
        "Inner, special and disguised addresses are refused",
        arguments: [
            "0.0.0.0", "10.1.2.3", "100.64.0.1", "100.100.100.200", "127.0.0.1", "127.255.255.254",
            "169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.192", "192.168.1.1",
            "198.18.0.1", "192.0.2.1", "203.0.113.9", "224.0.0.1", "240.0.0.1", "255.255.255.255",
            "168.63.129.16", "::", "::1", "::ffff:8.8.8.8", "::ffff:127.0.0.1", "::8.8.8.8",
            "64:ff9b::808:808", "64:ff9b:1::1", "fe80::1", "fc00::1", "fd00:ec2::254", "ff02::1",
            "2001::1", "2001:db8::1", "2002:7f00:1::", "3fff::1", "5f00::1",
        ])
    func refused(_ text: String) throws {
        let address = try #require(IPAddress(text))
        #expect(!AddressPolicy.publicOnly().admits(address))
        #expect(AddressPolicy.any.admits(address))
    }

    @Test(
        "Addresses of the public internet are admitted",
        arguments: [
            "1.1.1.1", "8.8.8.8", "100.63.255.255", "100.128.0.0", "172.15.255.255", "172.32.0.0",
            "223.255.255.255", "2606:4700::1111", "2a00:1450::1", "2001:4860:4860::8888",
        ])
    func admitted(_ text: String) throws {
        #expect(AddressPolicy.publicOnly().admits(try #require(IPAddress(text))))
    }

    @Test("The operator's ranges are admitted beside them, and nothing else is")
    func allowed() throws {
        let policy = AddressPolicy.publicOnly(and: [
            try #require(IPAddressRange("10.20.0.0/15")), try #require(IPAddressRange("::1")),
        ])
        for (text, isAdmitted) in [
            ("10.20.0.1", true), ("10.21.255.255", true), ("10.22.0.0", false), ("::1", true),
            ("::2", false), ("127.0.0.1", false), ("8.8.8.8", true),
        ] {
            #expect(policy.admits(try #require(IPAddress(text))) == isAdmitted, "\(text)")
        }
    }

    @Test(
        "What is no address in numbers, or no range, is not read",
        arguments: [
            "", "localhost", "127.1", "2130706433", "0x7f.0.0.1", "0177.0.0.1", "1.2.3.4.5",
            "[::1]", "fe80::1%eth0", "1.2.3.4/33", "10.0.0.1/8", "::/129", "1.2.3.4/", "/8",
            "1.2.3.4/-1", "1.2.3.4/08x", "127.0.0.1 ",
        ])
    func unreadable(_ text: String) {
        #expect(IPAddressRange(text) == nil)
    }

    @Test("A name that leads to an inner address reaches nobody")
    func innerName() async throws {
        try await withServer(
            echo, configure: { $0.addresses = .publicOnly() }
        ) { client, url, server in
            for host in ["127.0.0.1", "localhost", "127.1", "2130706433", "0x7f000001"] {
                let failure = await client.failure(of: .post, "http://\(host):\(server.port)/")
                #expect(failure?.code == .addressRefused, "\(host)")
                #expect(failure?.wasSent == false)
            }
            #expect(server.connectionCount == 0)
        }
    }

    @Test("The answer of the name server counts at the moment of the connection")
    func changedAnswer() async throws {
        let answer = Mutex("127.0.0.1")
        let once: RawServer.Script = { connection in
            _ = connection.readRequest()
            connection.answer("ok", headers: "Connection: close\r\n")
        }
        let range = try #require(IPAddressRange("127.0.0.1"))
        let server = try RawServer(once)
        defer { server.stop() }
        var configuration = HTTPClientConfiguration()
        configuration.addresses = .publicOnly(and: [range])
        let port = server.port
        configuration.knownHosts = { ["hooks.example:\(port):\(answer.withLock { $0 })"] }
        let client = try HTTPClient(configuration: configuration)
        let url = "http://hooks.example:\(port)/"
        #expect(try await client.post(url, "{}").text == "ok")
        answer.withLock { $0 = "127.0.0.2" }
        #expect(await client.failure(of: .post, url)?.code == .addressRefused)
        answer.withLock { $0 = "[::1]" }
        #expect(await client.failure(of: .post, url)?.code == .addressRefused)
        // One good address among bad ones is used, and the bad ones are not.
        answer.withLock { $0 = "127.0.0.2,127.0.0.1" }
        #expect(try await client.post(url, "{}").text == "ok")
        #expect(server.connectionCount == 2)
        await client.close(gracePeriod: .zero)
    }

    @Test("An answer that leads elsewhere is an answer, not a way to an inner address")
    func redirect() async throws {
        let inner = try RawServer(echo)
        defer { inner.stop() }
        let location = "Location: http://127.0.0.2:\(inner.port)/\r\n"
        try await withServer { connection in
            while connection.readRequest() != nil {
                guard connection.answer("", status: "307 Elsewhere", headers: location) else {
                    break
                }
            }
        } _: { client, url, _ in
            let answer = try await client.post(url, "{}")
            #expect(answer.status == 307)
            #expect(inner.connectionCount == 0)
        }
    }
}

@Suite("How long another server asks us to stay away")
struct StayingAway {
    @Test(
        "Seconds and moments are read, and nothing else",
        arguments: [
            ("0", 0), ("120", 120), ("99999999999999999999", 999_999_999),
            ("Sun, 06 Nov 1994 08:49:37 GMT", 37), ("Sun, 06 Nov 1994 08:48:00 GMT", 0),
            ("", nil), ("-1", nil), ("1.5", nil), ("soon", nil), ("Sun Nov  6 08:49:37 1994", nil),
            ("Sunday, 06-Nov-94 08:49:37 GMT", nil), ("Sun, 31 Feb 1994 08:49:37 GMT", nil),
        ] as [(String, Int?)])
    func reading(text: String, seconds: Int?) throws {
        let now = try #require(Instant(rfc3339: "1994-11-06T08:49:00Z"))
        let read = RetryAfter.duration(in: ["Retry-After": text], now: now)
        #expect(read == seconds.map { .seconds($0) })
    }
}
