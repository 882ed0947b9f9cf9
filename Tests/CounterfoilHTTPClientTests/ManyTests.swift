// SPDX-License-Identifier: Apache-2.0

import CounterfoilHTTP
import CounterfoilHTTPClient
import CounterfoilTestSupport
import Synchronization
import Testing

@Suite("Many requests")
struct Many {
    /// Sends requests at the same time and counts the outcomes.
    private func outcomes(
        _ client: HTTPClient, _ url: String, _ method: HTTPMethod = .post, count: Int
    ) async -> [String: Int] {
        await withTaskGroup(of: String.self) { group in
            for number in 0..<count {
                group.addTask {
                    do throws(HTTPTransportError) {
                        let request = OutgoingRequest(method: method, url: "\(url)/\(number)")
                        let answer = try await client.send(request, deadline: patience)
                        return answer.text == "/\(number)" ? "own" : "foreign"
                    } catch {
                        return error.code.description
                    }
                }
            }
            return await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        }
    }

    @Test("Requests one after another share a connection")
    func reuse() async throws {
        try await withServer(echo) { client, url, server in
            for number in 0..<20 {
                let answer = try await client.post("\(url)/\(number)", "x")
                #expect(answer.text == "/\(number)")
            }
            #expect(server.connectionCount == 1)
        }
    }

    @Test("A refused answer does not spoil the next one")
    func reuseAfterFailure() async throws {
        try await withServer(echo) { client, url, _ in
            let request = OutgoingRequest(
                method: .get, url: url + "/long", maximumAnswerByteCount: 1)
            for _ in 0..<3 {
                #expect(await client.failure(request)?.code == .tooLarge)
                let answer = try await client.get(url + "/short")
                #expect(answer.text == "/short")
            }
        }
    }

    @Test("Every caller gets its own answer, over few connections", arguments: [1, 3, 16])
    func parallel(connections: Int) async throws {
        try await withServer(
            echo,
            configure: {
                $0.maximumRunningCountPerHost = connections
                $0.maximumRunningCount = 32
            }
        ) { client, url, server in
            #expect(await outcomes(client, url, count: 400) == ["own": 400])
            #expect(server.mostConnections <= connections)
        }
    }

    @Test("A host that does not answer leaves room for others")
    func silentHost() async throws {
        let arrived = Signal()
        let silent = try RawServer { connection in
            _ = connection.readRequest()
            arrived.fire()
            connection.awaitClose()
        }
        defer { silent.stop() }
        try await withServer(
            echo,
            configure: {
                $0.maximumRunningCount = 3
                $0.maximumRunningCountPerHost = 2
            }
        ) { client, url, _ in
            let tasks = (0..<4).map { _ in
                Task { await client.failure(of: .get, "http://127.0.0.1:\(silent.port)")?.code }
            }
            await arrived.fired(2)
            #expect(await outcomes(client, url, count: 50) == ["own": 50])
            #expect(silent.connectionCount == 2)
            for task in tasks { task.cancel() }
            for task in tasks { #expect(await task.value == .cancelled) }
        }
    }

    @Test("Beyond its queue the client says that it is busy, and goes on when there is room")
    func busy() async throws {
        let (arrived, leave) = (Signal(), Signal())
        try await withServer { connection in
            while connection.readRequest() != nil {
                arrived.fire()
                connection.awaitClose()
            }
            leave.fire()
        } configure: {
            $0.maximumRunningCount = 2
            $0.maximumWaitingCount = 3
        } _: { client, url, _ in
            let tasks = (0..<5).map { _ in
                Task { await client.failure(of: .get, url)?.code.description }
            }
            await arrived.fired(2)
            // The other three are on their way into the queue; it takes no more than them.
            var codes: Set<String?> = []
            while !codes.contains("transport.busy") {
                codes.insert(
                    await client.failure(
                        OutgoingRequest(method: .get, url: url), deadline: .milliseconds(1))?
                        .code.description)
            }
            #expect(codes.isSubset(of: ["transport.busy", "transport.timeout"]))
            for task in tasks { task.cancel() }
            for task in tasks { #expect(await task.value == "transport.cancelled") }
            await leave.fired(2)
        }
    }

    @Test("When the server dies, every request ends as one of the clean errors")
    func dyingServer() async throws {
        let arrived = Signal()
        try await withServer { connection in
            while let request = connection.readRequest() {
                arrived.fire()
                connection.answer(String(request.split(separator: " ")[1]))
            }
        } _: { client, url, server in
            async let counts = outcomes(client, url, count: 600)
            await arrived.fired(50)
            server.stop()
            let names = Set(await counts.keys)
            #expect(
                names.isSubset(of: ["own", "transport.connect", "transport.interrupted"]),
                "\(names)")
            #expect(await outcomes(client, url, count: 50) == ["transport.connect": 50])
        }
    }
}
