// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilEngine
import CounterfoilStore

extension DeliveryView {
    /// A delivery in a list.
    var json: JSONValue { .object(object) }

    /// A delivery by itself, with the attempts before the last one.
    var jsonWithAttempts: JSONValue {
        var object = object
        object.append("attempts_log", .array(attempts.map(\.json)))
        return .object(object)
    }

    private var object: JSONObject {
        let isToCome = [.waiting, .sent].contains(delivery.state)
        var object = JSONObject()
        object.append("endpoint_id", .string(delivery.endpointID.description))
        object.append("event_id", .string(delivery.eventID.description))
        object.append("type", .string(delivery.type))
        object.append("environment", .string(delivery.environment.rawValue))
        object.append("customer_id", .optional(customer?.rawValue))
        object.append("state", .string(delivery.state.rawValue))
        object.append("held_product_id", .optional(delivery.heldProduct?.rawValue))
        object.append("replay", .bool(delivery.isReplay))
        object.append("attempts", .integer(delivery.attempts))
        object.append("tries", .integer(delivery.tries))
        object.append("next_at", .optional(isToCome ? delivery.nextAt.rfc3339 : nil))
        object.append("created_at", .string(delivery.createdAt.rfc3339))
        object.append("finished_at", .optional(delivery.finishedAt?.rfc3339))
        object.append("last_attempt", delivery.lastAttempt?.json ?? .null)
        return object
    }
}
