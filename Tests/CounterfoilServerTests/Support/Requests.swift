// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilHTTP
import CounterfoilServer
import Synchronization
import Testing

/// Bytes that count up, so that ids are known.
struct CountingRandom: RandomSource {
    func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: $0) }
    }
}

/// One key, `good`, of the app `game`.
struct OneKey: Authenticator {
    func standing(ofKey secretKey: String) async throws -> KeyStanding {
        guard secretKey == "good" else { return .unknown }
        return .valid(
            Principal(
                app: try AppID("game"),
                keyID: .timeOrdered(at: requestTime, random: CountingRandom())))
    }
}

let requestTime = Instant(millisecondsSinceEpoch: 1_700_000_000_123)
let requestID = UniqueID.timeOrdered(at: requestTime, random: CountingRandom())

/// A handler around routes, and what it reported.
final class Fixture: Sendable {
    let registry = MetricsRegistry()
    let handler: RoutedHandler
    private let defects: Defects

    private final class Defects: Sendable {
        let all = Mutex<[UniqueID]>([])
    }

    init(_ routes: [Route]) {
        let defects = Defects()
        self.defects = defects
        handler = RoutedHandler(
            router: Router(routes), authenticator: OneKey(), clock: FixedClock(requestTime),
            random: CountingRandom(), metrics: RequestMetrics(registry)
        ) { _, requestID in
            defects.all.withLock { $0.append(requestID) }
        }
    }

    var defectIDs: [UniqueID] { defects.all.withLock { $0 } }

    func send(
        _ method: HTTPMethod, _ path: String, headers: HTTPHeaders = HTTPHeaders(),
        body: [UInt8] = []
    ) async throws -> HTTPResponse {
        let target = try #require(HTTPTarget(path))
        return await handler.respond(
            to: HTTPRequest(
                method: method, target: target, headers: headers, body: body,
                remoteAddress: "127.0.0.1"))
    }

    /// Sends JSON.
    func post(
        _ path: String, _ body: String, contentType: String = "application/json"
    ) async throws -> HTTPResponse {
        try await send(
            .post, path, headers: ["Content-Type": contentType], body: Array(body.utf8))
    }
}

extension HTTPResponse {
    var json: JSONValue {
        get throws { try JSONValue(parsing: body) }
    }

    var code: String? {
        get throws { try json["code"]?.string }
    }
}
