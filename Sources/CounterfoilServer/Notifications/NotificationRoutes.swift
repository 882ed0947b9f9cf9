// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilEngine
import CounterfoilHTTP
import CounterfoilStore

extension Interface {
    /// Where Apple sends notifications, and the list of what it sent.
    var notificationRoutes: [Route] {
        [
            .open(.post, "/apple/{app}/notifications") { context in
                guard let app = try? AppID(context.parameter("app")),
                    let policy = engine.policies[app]
                else { throw Problem.notFound("there is no such app") }
                let payload = try NotificationBody.signedPayload(in: context)
                let outcome = try await submit(
                    Submission(notification: payload, address: context.address), to: policy)
                if let problem = Problem(notification: outcome) { throw problem }
                return .json(["notification": "stored"])
            },
            .secret(.get, "/v1/notifications") { context, principal in
                let (after, limit) = try context.query { query in
                    (
                        query.value("after", "is not the \"next\" of an earlier page") {
                            NotificationPlace(cursor: $0)
                        }, query.pageLimit()
                    )
                }
                let found = try await engine.notifications(
                    of: principal.app, after: after, limit: limit)
                let isFull = found.count == Int(limit)
                return .json([
                    "notifications": .array(found.map(\.json)),
                    "next": .optional(isFull ? found.last?.place.cursor : nil),
                ])
            },
        ]
    }
}

/// The body that Apple sends.
private enum NotificationBody {
    /// Members beside `signedPayload` are Apple's business: a body of a later version must not be
    /// refused for them.
    static func signedPayload(in context: RequestContext) throws(Problem) -> String {
        guard context.request.body.count <= Limits.notificationByteCount else {
            throw Problem(
                status: 413, code: "http.body_too_large",
                detail: "the body is longer than \(Limits.notificationByteCount) bytes")
        }
        guard let payload = try context.json()["signedPayload"]?.string else {
            throw Problem(
                status: 400, code: "notification.malformed",
                detail: "signedPayload is missing; expected a notification of version 2")
        }
        return payload
    }
}

extension Problem {
    /// What is not Apple's, or not about this app, is refused although it is kept; nil for all else,
    /// which Apple need not send again.
    fileprivate init?(notification outcome: SubmissionOutcome) {
        switch outcome.decision.reason {
        case .malformed, .wrongEvidenceKind, .badSignature, .untrustedRoot,
            .wrongCertificatePurpose, .certificateNotValid, .certificateDenied,
            .signerCertificateMissing, .noSigner:
            self.init(
                status: 400, code: "notification.unproven",
                detail: "it is not signed by an authority that this app believes")
        case .otherBundle:
            self.init(
                status: 400, code: "notification.other_app",
                detail: "it is about another app than this address is for")
        // A decided policy is no mistake; this is one, and Apple sends again what it is refused.
        case .environmentNotAllowed where outcome.isSuspectConfiguration:
            self.init(
                status: 400, code: "notification.other_environment",
                detail: "deliver_from of this app does not name its environment")
        case .datedInFuture, .verifierBusy:
            self = Problem(
                status: 503, code: "notification.later",
                detail: "it cannot be judged at this moment"
            ).retryable(after: .seconds(60))
        default:
            return nil
        }
    }
}

extension NotificationPlace {
    /// The place as a page names it: milliseconds since 1970, and Apple's id.
    fileprivate var cursor: String { "\(receivedAt.millisecondsSinceEpoch).\(uuid)" }

    fileprivate init?(cursor: String) {
        guard let point = cursor.firstIndex(of: "."),
            let milliseconds = Int64(cursor[..<point])
        else { return nil }
        self.init(
            receivedAt: Instant(millisecondsSinceEpoch: milliseconds),
            uuid: String(cursor[cursor.index(after: point)...]))
    }
}

extension NotificationRecord {
    fileprivate var json: JSONValue {
        [
            "notification_uuid": .string(uuid), "type": .string(type),
            "subtype": .optional(subtype), "environment": .optional(environment?.rawValue),
            "transaction_id": .optional(transactionID?.rawValue),
            "signed_at": .string(signedAt.rfc3339), "status": .string(status),
            "reason": .optional(reason), "received_at": .string(receivedAt.rfc3339),
            "copies": .integer(copies), "evidence_sha256": .string(Hexadecimal.text(of: evidence)),
        ]
    }
}
