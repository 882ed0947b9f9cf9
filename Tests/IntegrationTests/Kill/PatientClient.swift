// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilTestSupport
import Glibc

/// A client that asks until it is answered, however often the server dies meanwhile.
final class PatientClient {
    /// Failures in a row, with the server up, after which it gives up.
    private static let patience = 100

    private let server: ServerUnderTest
    private let afterAnswer: () throws -> Void
    private var connection: HTTPConnection?

    /// - Parameter afterAnswer: Called with each answer that came, before it is used.
    init(_ server: ServerUnderTest, afterAnswer: @escaping () throws -> Void) {
        self.server = server
        self.afterAnswer = afterAnswer
    }

    /// - Parameter key: The `Idempotency-Key`, the same with each try.
    func ask(
        _ method: String, _ target: String, _ body: JSONValue? = nil, key: String? = nil
    ) throws -> (status: Int, body: JSONValue) {
        let request = server.request(body)
        var headers = request.headers
        headers["Idempotency-Key"] = key
        for _ in 0..<Self.patience {
            do {
                let open = try connection ?? HTTPConnection(port: server.runningPort())
                connection = open
                let answer = try open.send(method, target, headers: headers, body: request.body)
                try afterAnswer()
                let json = try JSONValue(parsing: answer.body)
                // Said before anything was done.
                if answer.status == 503 || json["code"]?.string == "idempotency.running" {
                    sched_yield()
                    continue
                }
                return (answer.status, json)
            } catch is HTTPConnection.Broken {
                connection = nil
            }
        }
        throw ChildProcess.Failure(description: "no answer to \(method) \(target)")
    }
}
