// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilEngine
import CounterfoilHTTP
import CounterfoilStore

extension Interface {
    /// `GET /v1/grants?state=due` and `POST /v1/grants/{grant_id}/acknowledge`.
    var grantRoutes: [Route] {
        [
            .secret(.get, "/v1/grants") { context, principal in
                try context.requireQuery(only: ["environment", "state", "after", "limit"])
                let limit = try context.pageLimit()
                let grants = try await engine.grants(
                    of: principal.app, in: context.environment(), state: Self.state(in: context),
                    after: Self.cursor(in: context), limit: limit)
                let isFull = grants.count == Int(limit)
                let next = isFull ? grants.last?.grant.grantID.description : nil
                return .json(["grants": .array(grants.map(\.json)), "next": .optional(next)])
            },
            .secret(.post, "/v1/grants/{grant_id}/acknowledge") { context, principal in
                guard let id = UniqueID(context.parameter("grant_id")) else {
                    throw Problem.notFound("there is no such grant")
                }
                let request = try context.body { AcknowledgeRequest(&$0) }
                let outcome = try await engine.acknowledge(
                    id, of: principal.app, request.result, note: request.note)
                return try Self.answer(to: outcome)
            },
        ]
    }

    private static func answer(
        to outcome: AcknowledgementOutcome?
    ) throws(Problem) -> HTTPResponse {
        switch outcome {
        case .recorded(let view): return .json(view.json)
        case .refused(let state):
            throw Problem(
                status: 409, code: "grant.state",
                detail: "the grant is \(state.rawValue), which this result cannot follow")
        case nil: throw .notFound("there is no such grant")
        }
    }

    private static func state(in context: RequestContext) throws(Problem) -> GrantState {
        guard let name = context.request.target.queryValue("state") else { return .due }
        guard let state = GrantState(rawValue: name) else {
            let names = GrantState.allCases.map(\.rawValue).joined(separator: ", ")
            throw .parameter("state", "is none of \(names)")
        }
        return state
    }

    private static func cursor(in context: RequestContext) throws(Problem) -> UniqueID? {
        guard let text = context.request.target.queryValue("after") else { return nil }
        guard let id = UniqueID(text) else {
            throw .parameter("after", "is not the \"next\" of an earlier page")
        }
        return id
    }
}

/// The body of an acknowledgement.
private struct AcknowledgeRequest {
    let result: GrantResult
    let note: String?

    init?(_ body: inout ObjectReader) {
        let result = body.choice("result", GrantResult.self)
        note = body.string("note", maximum: Limits.noteByteCount, isRequired: false)
        guard let result, body.findings.isEmpty else { return nil }
        self.result = result
    }
}
