// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilEngine
import CounterfoilHTTP

extension Interface {
    /// `POST /v1/customers/{customer_id}/merge` and `POST /v1/merges/{merge_id}/undo`.
    var mergeRoutes: [Route] {
        [
            .secret(.post, "/v1/customers/{customer_id}/merge") { context, principal in
                let policy = try policy(of: principal)
                let customer = try context.parameter("customer_id", CustomerKind.self)
                let request = try context.body { MergeRequest(&$0) }
                // It concerns two customers, so nobody who is held to one may ask for it.
                guard principal.customer == nil else { throw Problem.foreignCustomer }
                let merge = engine.merge(
                    customer, into: request.into, reason: request.reason, policy)
                return try await once(context, principal) { transaction in
                    try Self.answer { try merge.run(in: transaction) }
                }
            },
            .secret(.post, "/v1/merges/{merge_id}/undo") { context, principal in
                let policy = try policy(of: principal)
                guard let id = UniqueID(context.parameter("merge_id")) else {
                    throw Problem(MergeRefusal.unknownMerge)
                }
                let request = try context.body { UndoRequest(&$0) }
                let undo = engine.mergeUndo(of: id, reason: request.reason, policy)
                return try await once(context, principal) { transaction in
                    try Self.answer { try undo.run(in: transaction) }
                }
            },
        ]
    }

    private static func answer(_ change: () throws -> MergeView) throws -> StoredReply {
        do {
            return StoredReply(body: try change().json)
        } catch let refusal as MergeRefusal {
            throw Problem(refusal)
        }
    }
}

/// The body of a merge.
private struct MergeRequest {
    let into: CustomerID
    let reason: String

    init?(_ body: inout ObjectReader) {
        let into = body.identifier("into", CustomerKind.self)
        let reason = body.string("reason", maximum: Limits.noteByteCount)
        guard let into, let reason, body.findings.isEmpty else { return nil }
        self.into = into
        self.reason = reason
    }
}

extension Problem {
    fileprivate init(_ refusal: MergeRefusal) {
        switch refusal {
        case .unknownCustomer: self = .notFound("there is no such customer")
        case .unknownMerge: self = .notFound("there is no such merge")
        case .sameCustomer:
            self.init(
                status: 409, code: "merge.same_customer", detail: "both ids are one customer's")
        case .mergedElsewhere:
            self.init(
                status: 409, code: "merge.merged_elsewhere",
                detail: "the customer was merged into another one")
        case .tooLarge:
            self.init(
                status: 409, code: "merge.too_large",
                detail: "the customer has more than one transaction can move")
        case .tooDeep:
            self.init(
                status: 409, code: "merge.too_deep",
                detail: "customers would be merged into one another too often")
        case .targetMerged:
            self.init(
                status: 409, code: "merge.target_merged",
                detail: "the other customer was itself merged since; undo that first")
        }
    }
}
