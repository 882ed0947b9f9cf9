// SPDX-License-Identifier: Apache-2.0

package import CounterfoilCore
import CounterfoilDatabase
package import CounterfoilHTTP

extension Problem {
    /// There is nothing at this address, or nothing that this key may see.
    package static func notFound(_ detail: String) -> Problem {
        Problem(status: 404, code: "request.not_found", detail: detail)
    }

    package static func methodNotAllowed(_ method: HTTPMethod, allowed: [HTTPMethod]) -> Problem {
        let names = allowed.map(\.rawValue).joined(separator: ", ")
        var problem = Problem(
            status: 405, code: "request.method_not_allowed",
            detail: "\(method) is not possible here; possible: \(names)")
        problem.headers["Allow"] = names
        return problem
    }

    package static func contentType(_ detail: String) -> Problem {
        Problem(status: 415, code: "request.content_type", detail: detail)
    }

    package static let emptyBody = Problem(
        status: 400, code: "request.body_empty", detail: "the body is empty; expected JSON")

    /// Members of the body that are missing, wrong or unknown.
    package static func fields(_ findings: [DocumentFinding]) -> Problem {
        var problem = Problem(
            status: 400, code: "request.fields_invalid",
            detail: findings.map(\.description).joined(separator: "; "))
        problem.fields = findings
        return problem
    }

    package static func unauthorized(_ code: String, _ detail: String) -> Problem {
        var problem = Problem(status: 401, code: code, detail: detail)
        problem.headers["WWW-Authenticate"] = "Bearer realm=\"counterfoil\""
        return problem
    }

    /// The same for a revoked key as for one that never was: a stranger learns nothing.
    static let keyInvalid = unauthorized("auth.key_invalid", "the key is unknown or was revoked")

    /// The body is no JSON document.
    package init(_ error: JSONError) {
        self.init(
            status: 400, code: error.code.name, detail: "the body is not usable: \(error)")
        line = error.line
        column = error.column
    }

    /// The server refused before it asked anybody.
    package init(_ refusal: HTTPRefusal) {
        var problem = Problem(
            status: refusal.status, code: refusal.code, detail: refusal.message)
        if let delay = refusal.retryAfter { problem = problem.retryable(after: delay) }
        self = problem
    }

    /// What a client may know about an error that nobody turned into an answer.
    ///
    /// After a database error the request may or may not have taken effect; every write of this
    /// interface may be repeated safely.
    package init(unexpected error: any Error) {
        let passing: [DatabaseError.Code] = [
            .busy, .full, .unavailable, .closed, .readOnly, .cannotOpen, .corrupt,
        ]
        if let error = error as? DatabaseError, passing.contains(error.code) {
            self = Problem(
                status: 503, code: "server.storage_unavailable",
                detail: "the storage cannot be used just now; try again"
            ).retryable(after: .seconds(2))
        } else {
            self.init(
                status: 500, code: "server.internal",
                detail: "a defect of this server; the log has it under the request id")
        }
    }
}
