// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilEngine
import CounterfoilHTTP
import CounterfoilStore

extension Interface {
    /// `GET /v1/customers/{customer_id}/timeline` and `…/explain`: why things are as they are, with the
    /// evidence (promise P8).
    var timelineRoutes: [Route] {
        [
            .secret(.get, "/v1/customers/{customer_id}/timeline") { context, principal in
                let (environment, after, limit) = try context.query { query in
                    (
                        query.environment(),
                        query.value("after", "is not the \"next\" of an earlier page") {
                            TimelinePlace(cursor: $0)
                        }, query.pageLimit()
                    )
                }
                let id = try context.parameter("customer_id", CustomerKind.self)
                let entries = try await engine.timeline(
                    of: id, principal.app, in: environment, after: after, limit: limit)
                guard let entries else { throw Problem.notFound("there is no such customer") }
                let next = entries.count == Int(limit) ? entries.last?.place.cursor : nil
                return .json([
                    "customer_id": .string(id.rawValue),
                    "environment": .string(environment.rawValue),
                    "entries": .array(entries.map(\.json)), "next": .optional(next),
                ])
            },
            .secret(.get, "/v1/customers/{customer_id}/explain") { context, principal in
                let (entitlement, environment) = try context.query { query in
                    let entitlement = query.identifier("entitlement", EntitlementKind.self)
                    if entitlement == nil, query.isMissing("entitlement") {
                        query.findings.report("entitlement", "is missing; expected a right's id")
                    }
                    return (entitlement, query.environment())
                }
                let id = try context.parameter("customer_id", CustomerKind.self)
                guard let entitlement else { throw Problem.notFound("there is no such right") }
                let explanation = try await engine.explanation(
                    of: entitlement, for: id, to: policy(of: principal), in: environment)
                guard let explanation else { throw Problem.notFound("there is no such customer") }
                return .json(explanation.json)
            },
        ]
    }
}

extension TimelinePlace {
    /// The place as a page names it: milliseconds and id.
    fileprivate var cursor: String { "\(moment.millisecondsSinceEpoch).\(id)" }

    fileprivate init?(cursor: String) {
        let parts = cursor.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let milliseconds = Int64(parts[0]),
            let id = UniqueID(String(parts[1]))
        else { return nil }
        self.init(moment: Instant(millisecondsSinceEpoch: milliseconds), id: id)
    }
}

extension TimelineEntry {
    fileprivate var json: JSONValue {
        let at = JSONValue.string(place.moment.rfc3339)
        return switch self {
        case .submission(let view): ["at": at, "kind": "submission", "submission": view.json]
        case .event(let event, _): ["at": at, "kind": "event", "event": event]
        }
    }
}

extension Explanation {
    fileprivate var json: JSONValue {
        [
            "customer_id": .string(customer.rawValue),
            "environment": .string(environment.rawValue),
            "entitlement": .string(entitlement.rawValue),
            "verdict": .string(verdict.rawValue),
            "periods": .array(periods.map(\.json)),
            "refusals": .array(
                refusals.map { SubmissionView(record: $0, customer: customer).json }),
            "products": .array(products.map { .string($0.rawValue) }),
        ]
    }
}

extension Explanation.Period {
    fileprivate var json: JSONValue {
        [
            "transaction_id": .string(record.transactionID.rawValue),
            "product_id": .string(record.productID.rawValue),
            "purchase_date": .string(record.purchaseDate.rfc3339),
            "starts_at": .string(record.startsAt.rfc3339),
            "ends_at": .optional(record.endsAt?.rfc3339), "revoked": .bool(record.isRevoked),
            "revocation_date": .optional(proof?.revocation?.value.date?.rfc3339),
            "owner_source": .optional(proof?.ownerSource),
            "evidence": .array(proof?.sources.map(\.json) ?? []),
        ]
    }
}

/// Which evidence says what about a transaction.
private struct NamedSource {
    let name: String
    let source: FactSource

    var json: JSONValue {
        [
            "says": .string(name), "sha256": .string(Hexadecimal.text(of: source.evidence)),
            "signed_date": .string(source.signedDate.rfc3339),
        ]
    }
}

extension TransactionRecord {
    fileprivate var sources: [NamedSource] {
        let groups: [(String, FactSource?)] = [
            ("identity", identity.source), ("expiry", expiresDate?.source),
            ("price", price?.source), ("ownership", ownership?.source),
            ("revocation", revocation?.source),
        ]
        return groups.compactMap { name, source in
            source.map { NamedSource(name: name, source: $0) }
        }
    }
}
