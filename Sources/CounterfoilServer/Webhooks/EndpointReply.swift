// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilEngine
import CounterfoilStore

extension EndpointRecord {
    /// An endpoint in an answer, without its secret.
    var json: JSONValue { .object(object) }

    /// The same with the secret, for whoever asked for a new one.
    var jsonWithSecret: JSONValue {
        var object = object
        object.append("secret", .string(secret))
        return .object(object)
    }

    private var object: JSONObject {
        var object = JSONObject()
        object.append("endpoint_id", .string(endpointID.description))
        object.append("url", .string(url))
        object.append("description", .optional(description))
        object.append("types", types.map { .array($0.map { .string($0) }) } ?? .null)
        object.append("environment", .string(environment?.rawValue ?? "all"))
        object.append("ordered", .bool(isOrdered))
        object.append("acknowledges", .bool(acknowledges))
        object.append("concurrency", .integer(concurrency))
        object.append("rate", .integer(rate ?? 0))
        object.append("state", .string(state.rawValue))
        object.append("reason", .optional(reason))
        object.append("paused_until", .optional(pausedUntil?.rfc3339))
        object.append("cursor", .string(String(cursor)))
        object.append("previous_secret_until", .optional(previousUntil?.rfc3339))
        object.append("created_at", .string(createdAt.rfc3339))
        object.append("updated_at", .string(updatedAt.rfc3339))
        return object
    }
}

extension AttemptRecord {
    /// An attempt in an answer.
    var json: JSONValue {
        [
            "sent_at": .string(sentAt.rfc3339),
            "status": status.map { .integer($0) } ?? .null, "error": .optional(error),
            "duration_ms": .integer(durationMilliseconds), "reply": .optional(reply),
        ]
    }
}

extension EndpointTest {
    /// What a test came to.
    var json: JSONValue {
        [
            "event_id": .string(eventID.description), "delivered": .bool(isDelivered),
            "attempt": attempt.json,
        ]
    }
}
