// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilTestSupport
import Glibc
import Synchronization

/// What the load client did and was told, one JSON object a line, for `check_books.py`.
///
/// A line is in the file before anybody counts it; the server under test cannot take it back.
final class ClientLog: Sendable {
    let path: String
    private let descriptor: Int32
    private let acknowledgements = Mutex(0)

    init(path: String) throws {
        self.path = path
        descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw ChildProcess.Failure(description: "no log at \(path)") }
    }

    deinit {
        close(descriptor)
    }

    /// Notes what will be handed in, before it is.
    func sent(_ purchase: Purchase) throws {
        try append([
            "sent": .string(purchase.transactionID), "app": .string(purchase.app),
            "environment": .string(purchase.environment), "customer": .string(purchase.customer),
            "goods": [purchase.unit: .number(JSONNumber(purchase.amount))],
        ])
    }

    /// Notes an answer and returns how many there are now.
    func acknowledged(
        _ transactionID: String, status: String, client: String, submission: String
    ) throws -> Int {
        try append([
            "acknowledged": .string(transactionID), "status": .string(status),
            "client": .string(client), "submission": .string(submission),
        ])
        return acknowledgements.withLock { count in
            count += 1
            return count
        }
    }

    /// Notes the whole answer to a purchase and returns how many there are now.
    func acknowledged(_ purchase: Purchase, by answer: HTTPConnection.Answer) throws -> Int {
        let body = try JSONDocument(parsing: answer.body, dialect: .strict).value.object
        guard answer.status == 200, let status = body?["status"]?.string,
            let client = body?["client"]?.string, let submission = body?["submission_id"]?.string
        else {
            let text = String(decoding: answer.body, as: UTF8.self)
            throw ChildProcess.Failure(description: "answered \(answer.status): \(text)")
        }
        return try acknowledged(
            purchase.transactionID, status: status, client: client, submission: submission)
    }

    private func append(_ entry: JSONValue) throws {
        let line = entry.utf8 + [UInt8(ascii: "\n")]
        // One write with O_APPEND: lines of several threads do not mix.
        let count = line.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        guard count == line.count else {
            throw ChildProcess.Failure(description: "the log could not be written")
        }
    }
}
