// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilEngine
import CounterfoilHTTP
import CounterfoilStore

extension Interface {
    /// `GET /v1/grants?state=due`, `GET /v1/grants/{grant_id}` and
    /// `POST /v1/grants/{grant_id}/acknowledge`.
    var grantRoutes: [Route] {
        [
            .secret(.get, "/v1/grants") { context, principal in
                let (environment, state, after, limit) = try context.query { query in
                    (
                        query.environment(), query.choice("state", GrantState.self) ?? .due,
                        query.value("after", "is not the \"next\" of an earlier page") {
                            GrantPlace(cursor: $0)
                        }, query.pageLimit()
                    )
                }
                let grants = try await engine.grants(
                    of: principal.app, in: environment, state: state, after: after, limit: limit)
                let next = grants.count == Int(limit) ? grants.last?.grant.place.cursor : nil
                return .json(["grants": .array(grants.map(\.json)), "next": .optional(next)])
            },
            .secret(.get, "/v1/grants/{grant_id}") { context, principal in
                let id = try Self.grantID(in: context)
                try context.query { _ in }
                guard let grant = try await engine.grant(id, of: principal.app) else {
                    throw Self.noSuchGrant
                }
                return .json(grant.json)
            },
            .secret(.post, "/v1/grants/{grant_id}/acknowledge") { context, principal in
                let id = try Self.grantID(in: context)
                let request = try context.body { AcknowledgeRequest(&$0) }
                return try await once(context, principal) { [engine] transaction in
                    try Self.answer(
                        to: engine.acknowledge(
                            id, of: principal.app, request.result, note: request.note,
                            in: transaction))
                }
            },
        ]
    }

    private static func answer(
        to outcome: AcknowledgementOutcome?
    ) throws(Problem) -> StoredReply {
        switch outcome {
        case .recorded(let view): return StoredReply(body: view.json)
        case .refused(let state):
            throw Problem(
                status: 409, code: "grant.state",
                detail: "the grant is \(state.rawValue), which this result cannot follow")
        case nil: throw noSuchGrant
        }
    }

    private static let noSuchGrant = Problem.notFound("there is no such grant")

    private static func grantID(in context: RequestContext) throws(Problem) -> UniqueID {
        guard let id = UniqueID(context.parameter("grant_id")) else { throw noSuchGrant }
        return id
    }
}

extension GrantRecord {
    fileprivate var place: GrantPlace { GrantPlace(createdAt: createdAt, grantID: grantID) }
}

extension GrantPlace {
    /// The place as a page names it: milliseconds and id.
    fileprivate var cursor: String { "\(createdAt.millisecondsSinceEpoch).\(grantID)" }

    fileprivate init?(cursor: String) {
        let parts = cursor.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let milliseconds = Int64(parts[0]),
            let id = UniqueID(String(parts[1]))
        else { return nil }
        self.init(createdAt: Instant(millisecondsSinceEpoch: milliseconds), grantID: id)
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
