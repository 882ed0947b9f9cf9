// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilHTTP
import CounterfoilHTTPServer
import Glibc
import Synchronization

/// A game server in this process: notes when the goods of each purchase arrived, and agrees.
final class WebhookReceiver: HTTPHandler {
    /// When the first webhook of each transaction arrived, by the monotonic clock.
    private let arrivals = Mutex<[String: Double]>([:])

    func respond(to request: HTTPRequest) async -> HTTPResponse {
        let now = Clock.seconds(CLOCK_MONOTONIC)
        if let event = try? JSONValue(parsing: request.body),
            event["type"]?.string == "purchase.fulfilled",
            let transaction = event["data"]?["transaction_id"]?.string
        {
            arrivals.withLock { arrivals in
                if arrivals[transaction] == nil { arrivals[transaction] = now }
            }
        }
        return HTTPResponse(status: 204)
    }

    var count: Int { arrivals.withLock { $0.count } }

    func arrival(of transaction: String) -> Double? { arrivals.withLock { $0[transaction] } }

    /// Waits until the goods of so many transactions have arrived.
    func wait(for count: Int) throws {
        let end = Clock.seconds(CLOCK_MONOTONIC) + 60
        while self.count < count {
            guard Clock.seconds(CLOCK_MONOTONIC) < end else {
                throw BenchmarkFailure("\(self.count) of \(count) webhooks arrived in a minute")
            }
            usleep(1_000)
        }
    }
}
