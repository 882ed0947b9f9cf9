// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilEngine

extension SubmissionOutcome {
    /// The answer to `POST /v1/purchases`.
    var json: JSONValue {
        var json = JSONObject([
            .init(key: "submission_id", value: .string(submissionID.description))
        ])
        decision.describe(in: &json)
        json.append("detail", .optional(detail))
        if isSuspectConfiguration { json.append("suspect_configuration", true) }
        json.append("retry_after", retryAfter.map { .integer($0.components.seconds) } ?? .null)
        json.append("environment", .optional(environment?.rawValue))
        json.append("transaction_id", .optional(transactionID?.rawValue))
        json.append("version", version.map { .integer($0) } ?? .null)
        let claimed = entries.first { $0.transactionID == transactionID }
        json.append("order", claimed?.order ?? .null)
        json.append("transactions", .array(entries.map(\.json)))
        return .object(json)
    }
}

extension SubmissionOutcome.Entry {
    fileprivate var json: JSONValue {
        var json = JSONObject([
            .init(key: "transaction_id", value: .string(transactionID.rawValue)),
            .init(key: "product_id", value: .string(productID.rawValue)),
        ])
        decision.describe(in: &json)
        json.append("grant_id", .optional(grantID?.description))
        json.append("order", order)
        return .object(json)
    }
}

extension Decision {
    /// Writes the three members that say what became of a transaction.
    fileprivate func describe(in json: inout JSONObject) {
        json.append("status", .string(status.rawValue))
        json.append("reason", .optional(reason?.rawValue))
        json.append("client", .string(client.rawValue))
    }
}
