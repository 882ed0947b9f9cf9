// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore

/// Writes the members of a payload in order and leaves out what is nil, as Apple does.
struct PayloadWriter {
    private(set) var object = JSONObject()

    mutating func text(_ key: String, _ value: String?) {
        if let value { object.append(key, .string(value)) }
    }

    mutating func number(_ key: String, _ value: Int64?) {
        if let value { object.append(key, .integer(value)) }
    }

    mutating func date(_ key: String, _ value: Instant?) {
        number(key, value?.millisecondsSinceEpoch)
    }

    mutating func flag(_ key: String, _ value: Bool?) {
        if let value { object.append(key, .bool(value)) }
    }

    mutating func object(_ key: String, _ value: JSONObject?) {
        if let value { object.append(key, .object(value)) }
    }

    mutating func texts(_ key: String, _ value: [String]?) {
        if let value { object.append(key, .array(value.map { .string($0) })) }
    }

    mutating func list(_ key: String, _ value: [JSONObject]) {
        object.append(key, .array(value.map { .object($0) }))
    }

    mutating func members(_ other: JSONObject) {
        for member in other.members { object.append(member.key, member.value) }
    }

    mutating func offer(_ offer: SimulatedPurchase.Offer?) {
        number("offerType", offer?.type)
        text("offerIdentifier", offer?.identifier)
        text("offerDiscountType", offer?.discountType)
        text("offerPeriod", offer?.period)
    }
}
