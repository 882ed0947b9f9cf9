// SPDX-License-Identifier: Apache-2.0
import CYardsticks
import CounterfoilHTTP
import CounterfoilHTTPServer
import Glibc

/// Row 14.4: what a trivial answer costs beside the C library's own example.
///
/// Both servers run in this process; what the client's thread uses is taken off.
struct TrivialAnswer {
    static let name = "trivial HTTP answer"
    static let clients: Int32 = 64
    static let goal = 0.6

    private static let requests: Int32 = 40_000

    private static let request =
        "GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nUser-Agent: counterfoil-bench\r\n"
        + "Accept: */*\r\n\r\n"

    let threads: Int
    private(set) var pairs: [(ours: Sample, yardstick: Sample)] = []

    /// - Parameter threads: How many threads each server has.
    init(threads: Int, rounds: Int, progress: (String) -> Void) throws {
        self.threads = threads
        guard let hello = counterfoil_hello_start(UInt32(threads)) else {
            throw BenchmarkFailure("the C library's example did not start")
        }
        defer { counterfoil_hello_stop(hello) }
        var configuration = HTTPServerConfiguration(address: "127.0.0.1", port: 0)
        configuration.threadCount = threads
        let server = HTTPServer(configuration: configuration, handler: Hello())
        let port = try server.start()
        let helloPort = counterfoil_hello_port(hello)
        for round in 0..<rounds {
            progress("\(Self.name), \(threads) thread(s): round \(round + 1) of \(rounds)")
            // Who goes first alternates, so that neither always has the warmer machine.
            if round.isMultiple(of: 2) {
                let ours = try Self.sample(port)
                pairs.append((ours, try Self.sample(helloPort)))
            } else {
                let yardstick = try Self.sample(helloPort)
                pairs.append((try Self.sample(port), yardstick))
            }
        }
        try waiting { await server.stop(gracePeriod: .seconds(1)) }
    }

    var processorRatio: Double {
        pairs.map { $0.yardstick.processorMicroseconds / $0.ours.processorMicroseconds }.median
    }

    var rateRatio: Double { pairs.map { $0.ours.rate / $0.yardstick.rate }.median }

    private static func sample(_ port: UInt16) throws -> Sample {
        let begin = Clock.seconds(CLOCK_MONOTONIC)
        let process = Clock.seconds(CLOCK_PROCESS_CPUTIME_ID)
        let thread = Clock.seconds(CLOCK_THREAD_CPUTIME_ID)
        guard counterfoil_hello_load(port, clients, requests, request) == 1 else {
            throw BenchmarkFailure("a trivial answer was wrong")
        }
        let client = Clock.seconds(CLOCK_THREAD_CPUTIME_ID) - thread
        let server = Clock.seconds(CLOCK_PROCESS_CPUTIME_ID) - process - client
        return Sample(
            rate: Double(requests) / (Clock.seconds(CLOCK_MONOTONIC) - begin),
            processorMicroseconds: server / Double(requests) * 1_000_000)
    }
}

private struct Hello: HTTPHandler {
    func respond(to request: HTTPRequest) async -> HTTPResponse {
        HTTPResponse(
            status: 200, headers: ["Content-Type": "text/plain"], body: Array("hello".utf8))
    }
}
