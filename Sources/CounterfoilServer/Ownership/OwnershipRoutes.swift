// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilEngine
import CounterfoilHTTP
import CounterfoilStore

extension Interface {
    /// `GET /v1/conflicts`, and the transfers of ownership.
    var ownershipRoutes: [Route] {
        [
            .secret(.get, "/v1/conflicts") { context, principal in
                let (environment, after, limit) = try context.query { query in
                    let after = query.value("after", "is not the \"next\" of an earlier page") {
                        ConflictPlace(cursor: $0)
                    }
                    return (query.environment(), after, query.pageLimit())
                }
                let conflicts = try await engine.conflicts(
                    of: principal.app, in: environment, after: after, limit: limit)
                let next = conflicts.count == Int(limit) ? conflicts.last?.place.cursor : nil
                return .json([
                    "conflicts": .array(conflicts.map(\.json)), "next": .optional(next),
                ])
            },
            .secret(.get, "/v1/ownership-transfers") { context, principal in
                let (environment, original, after, limit) = try context.query { query in
                    (
                        query.environment(),
                        query.identifier("original_transaction_id", OriginalTransactionKind.self),
                        query.integer("after", in: 0...Int64.max), query.pageLimit()
                    )
                }
                guard let original else {
                    throw Problem.fields([
                        DocumentFinding(path: "original_transaction_id", problem: "is missing")
                    ])
                }
                let reference = OriginalReference(
                    app: principal.app, environment: environment, id: original)
                let transfers = try await engine.ownershipTransfers(
                    of: reference, after: after ?? 0, limit: limit)
                let next = transfers.count == Int(limit) ? transfers.last?.transfer.place : nil
                return .json([
                    "transfers": .array(transfers.map(\.json)),
                    "next": next.map { .string(String($0)) } ?? .null,
                ])
            },
            .secret(.post, "/v1/customers/{customer_id}/transfer") { context, principal in
                let policy = try policy(of: principal)
                let customer = try context.parameter("customer_id", CustomerKind.self)
                let request = try context.body { TransferRequest(&$0) }
                // It takes from another customer.
                guard principal.customer == nil else { throw Problem.foreignCustomer }
                let change = engine.ownershipChange(
                    of: request.original, in: request.environment, to: customer,
                    reason: request.reason, policy)
                return try await once(context, principal) { transaction in
                    try Self.answer { try change.run(in: transaction) }
                }
            },
            .secret(.post, "/v1/ownership-transfers/{transfer_id}/undo") { context, principal in
                guard let id = UniqueID(context.parameter("transfer_id")) else {
                    throw Problem(OwnershipRefusal.unknownTransfer)
                }
                let request = try context.body { UndoRequest(&$0) }
                let undo = engine.ownershipUndo(
                    of: id, reason: request.reason, principal.app)
                return try await once(context, principal) { transaction in
                    try Self.answer { try undo.run(in: transaction) }
                }
            },
        ]
    }

    private static func answer(
        _ change: () throws -> OwnershipTransferView
    ) throws -> StoredReply {
        do {
            return StoredReply(body: try change().json)
        } catch let refusal as OwnershipRefusal {
            throw Problem(refusal)
        }
    }
}

/// The body of a transfer.
private struct TransferRequest {
    let original: OriginalTransactionID
    let environment: AppStoreEnvironment
    let reason: String

    init?(_ body: inout ObjectReader) {
        let original = body.identifier("original_transaction_id", OriginalTransactionKind.self)
        let environment = body.choice("environment", NamedEnvironment.self, isRequired: false)
        let reason = body.string("reason", maximum: Limits.noteByteCount)
        guard let original, let reason, body.findings.isEmpty else { return nil }
        self.original = original
        self.environment = (environment ?? .production).environment
        self.reason = reason
    }

    private enum NamedEnvironment: String, CaseIterable {
        case production = "Production"
        case sandbox = "Sandbox"

        var environment: AppStoreEnvironment { AppStoreEnvironment(rawValue: rawValue) }
    }
}

/// The body of an undo.
struct UndoRequest {
    let reason: String

    init?(_ body: inout ObjectReader) {
        let reason = body.string("reason", maximum: Limits.noteByteCount)
        guard let reason, body.findings.isEmpty else { return nil }
        self.reason = reason
    }
}

extension Problem {
    fileprivate init(_ refusal: OwnershipRefusal) {
        switch refusal {
        case .unknownOriginal:
            self = .notFound("no proof of this transaction was stored in this environment")
        case .unknownTransfer:
            self = .notFound("there is no such transfer")
        case .notTransferable:
            self.init(
                status: 409, code: "ownership.not_transferable",
                detail: "only non-consumables change their owner")
        case .unchanged:
            self.init(
                status: 409, code: "ownership.unchanged", detail: "it is the customer's already")
        case .changedSince:
            self.init(
                status: 409, code: "ownership.changed_since",
                detail: "another transfer came after it; only the last one can be undone")
        case .noEarlierOwner:
            self.init(
                status: 409, code: "ownership.no_earlier_owner",
                detail: "it had no owner before; transfer it to whom it belongs")
        }
    }
}

extension ConflictPlace {
    /// The place as a page names it: milliseconds and id.
    fileprivate var cursor: String { "\(firstAt.millisecondsSinceEpoch).\(conflictID)" }

    fileprivate init?(cursor: String) {
        let parts = cursor.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let milliseconds = Int64(parts[0]),
            let id = UniqueID(String(parts[1]))
        else { return nil }
        self.init(firstAt: Instant(millisecondsSinceEpoch: milliseconds), conflictID: id)
    }
}

extension ConflictView {
    fileprivate var place: ConflictPlace {
        ConflictPlace(firstAt: conflict.firstAt, conflictID: conflict.conflictID)
    }

    /// An entry of the list.
    fileprivate var json: JSONValue {
        var json = data
        json.append("environment", .string(conflict.environment.rawValue))
        json.append("occurrences", .integer(conflict.occurrences))
        json.append("first_at", .string(conflict.firstAt.rfc3339))
        json.append("last_at", .string(conflict.lastAt.rfc3339))
        json.append(
            "evidence_sha256", .optional(conflict.evidence.map { Hexadecimal.text(of: $0) }))
        return .object(json)
    }
}
