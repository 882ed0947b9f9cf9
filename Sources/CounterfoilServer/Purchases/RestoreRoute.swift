// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilEngine
import CounterfoilHTTP

extension Interface {
    /// `POST /v1/customers/{customer_id}/restore`: many pieces of evidence at once, each judged for itself.
    var restoreRoutes: [Route] {
        [
            .customer(.post, "/v1/customers/{customer_id}/restore") { context, principal in
                let policy = try policy(of: principal)
                let id = try principal.mayAct(
                    for: context.parameter("customer_id", CustomerKind.self))
                let submissions = try context.body { body in
                    RestoreRequest.read(
                        &body, by: id, from: context.address,
                        isByCustomer: principal.customer != nil)
                }
                context.count(submissions.count, by: principal)
                var results: [JSONValue] = []
                for submission in submissions {
                    results.append(try await submit(submission, to: policy).json)
                }
                return .json(["customer_id": .string(id.rawValue), "results": .array(results)])
            }.takingEvidence()
        ]
    }

    /// Judges one submission and counts what became of it.
    func submit(
        _ submission: Submission, to policy: AppPolicy
    ) async throws -> SubmissionOutcome {
        let outcome = try await engine.submit(submission, to: policy)
        submissions.increment(
            policy.app.rawValue, outcome.decision.status.rawValue,
            outcome.decision.reason?.rawValue ?? "")
        log.submitted(outcome, to: policy.app)
        return outcome
    }
}

/// The body of a restore.
private enum RestoreRequest {
    static func read(
        _ body: inout ObjectReader, by customer: CustomerID, from address: String,
        isByCustomer: Bool
    ) -> [Submission]? {
        let elements = body.elements("evidence", maximum: Limits.restoreCount)
        if elements.isEmpty, body.findings.isEmpty { body.report("evidence", "is empty") }
        let submissions = elements.compactMap { element -> Submission? in
            var reader = ObjectReader(
                element.value, path: element.path, findings: body.findings)
            let submission = PurchaseRequest.evidence(
                &reader, of: customer, from: address, isByCustomer: isByCustomer)
            reader.finish()
            return submission
        }
        return body.findings.isEmpty ? submissions : nil
    }
}
