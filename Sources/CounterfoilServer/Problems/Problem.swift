// SPDX-License-Identifier: Apache-2.0

package import CounterfoilCore
import CounterfoilEngine
package import CounterfoilHTTP

/// Why a request was not done, as RFC 9457 words it.
package struct Problem: Error, Sendable {
    /// The HTTP status.
    package let status: Int

    /// A stable name for the reason, documented in `docs/errors.md`.
    package let code: String

    /// What is wrong this time, safe to show.
    package let detail: String

    /// The faults of a body, each with its path.
    package var fields: [DocumentFinding] = []

    /// Where a body stops to be JSON, counted from 1.
    package var line: Int?
    package var column: Int?

    /// Further members, for programs that act on this code.
    package var members = JSONObject()

    /// Fields of the answer beside those that every problem has.
    package var headers = HTTPHeaders()

    package init(status: Int, code: String, detail: String) {
        self.status = status
        self.code = code
        self.detail = detail
    }

    /// Says how long the client should wait before it tries again.
    package func retryable(after delay: Duration) -> Problem {
        var problem = self
        let seconds = (delay.wholeMilliseconds + 999) / 1000
        problem.headers["Retry-After"] = String(max(1, seconds))
        return problem
    }

    /// The answer to send.
    ///
    /// - Parameter keepsEvidence: Whether the request handed in evidence; then the answer says that
    ///   the sender has to keep it (promise P7).
    package func response(
        requestID: UniqueID, keepsEvidence: Bool = false
    ) -> HTTPResponse {
        var object = JSONObject()
        object.append("type", .string("urn:counterfoil:problem:\(code)"))
        object.append("title", .string(Self.title(of: status)))
        object.append("status", .integer(status))
        object.append("detail", .string(detail))
        object.append("code", .string(code))
        object.append("request_id", .string(requestID.description))
        if keepsEvidence { object.append("client", .string(ClientAction.keep.rawValue)) }
        if let line { object.append("line", .integer(line)) }
        if let column { object.append("column", .integer(column)) }
        for member in members.members { object.append(member.key, member.value) }
        if !fields.isEmpty {
            let errors = fields.map { field -> JSONValue in
                ["path": .string(field.path), "detail": .string(field.problem)]
            }
            object.append("errors", .array(errors))
        }
        var headers = headers
        headers["Content-Type"] = "application/problem+json"
        return HTTPResponse(status: status, headers: headers, body: JSONValue.object(object).utf8)
    }

    private static func title(of status: Int) -> String {
        switch status {
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 408: "Request Timeout"
        case 409: "Conflict"
        case 413: "Content Too Large"
        case 414: "URI Too Long"
        case 415: "Unsupported Media Type"
        case 422: "Unprocessable Content"
        case 429: "Too Many Requests"
        case 431: "Request Header Fields Too Large"
        case 500: "Internal Server Error"
        case 501: "Not Implemented"
        case 503: "Service Unavailable"
        default: status < 500 ? "Client Error" : "Server Error"
        }
    }
}
