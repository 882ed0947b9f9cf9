// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore

/// Requests with JSON bodies as bytes, and their answers.
enum JSONRequest {
    static func bytes(
        _ path: String, key: String, idempotencyKey: String? = nil, _ body: JSONValue
    ) -> [UInt8] {
        let bytes = body.utf8
        var head = """
            POST \(path) HTTP/1.1\r
            Host: 127.0.0.1\r
            Authorization: Bearer \(key)\r
            Content-Type: application/json\r
            Content-Length: \(bytes.count)\r

            """
        if let idempotencyKey { head += "Idempotency-Key: \(idempotencyKey)\r\n" }
        return Array(head.utf8) + Array("\r\n".utf8) + bytes
    }

    /// The body of an answer with that status; nil for any other answer.
    static func answer(_ bytes: [UInt8], status: Int) -> JSONValue? {
        guard bytes.starts(with: "HTTP/1.1 \(status) ".utf8),
            let end = bytes.firstRange(of: Array("\r\n\r\n".utf8))
        else { return nil }
        return try? JSONValue(parsing: bytes[end.upperBound...])
    }
}
