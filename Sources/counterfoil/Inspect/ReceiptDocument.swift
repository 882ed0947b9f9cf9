// SPDX-License-Identifier: Apache-2.0

import CounterfoilApple
import CounterfoilCore

/// The decoded values of an app receipt as JSON.
///
/// Names are those of the receipt vectors, which follow verifyReceipt where it has one. Absent values
/// are null; dates are objects with the text, milliseconds and UTC.
enum ReceiptDocument {
    /// How the octets of an attribute are shown.
    private enum Form {
        case text
        case integer
        case flag
        case date
        case hexadecimal
        case length
    }

    private typealias Field = (type: Int64, name: String, form: Form)

    private static let receiptFields: [Field] = [
        (0, "environment", .text), (1, "app_item_id", .integer), (2, "bundle_id", .text),
        (2, "bundle_id_octets_hex", .hexadecimal), (3, "application_version", .text),
        (4, "opaque_hex", .hexadecimal), (5, "sha1_hash_hex", .hexadecimal),
        (6, "type_6_length", .length), (7, "type_7_length", .length), (8, "type_8_date", .date),
        (9, "type_9", .integer), (10, "age_rating", .text), (11, "type_11_developer_id", .integer),
        (12, "creation_date", .date), (13, "type_13", .integer), (14, "type_14", .integer),
        (15, "download_id", .integer), (16, "version_external_identifier", .integer),
        (18, "original_purchase_date", .date), (19, "original_application_version", .text),
        (20, "type_20", .text), (21, "expiration_date", .date), (25, "type_25", .integer),
    ]

    private static let purchaseFields: [Field] = [
        (1701, "quantity", .integer), (1702, "product_id", .text), (1703, "transaction_id", .text),
        (1704, "purchase_date", .date), (1705, "original_transaction_id", .text),
        (1706, "original_purchase_date", .date), (1707, "product_type_code", .integer),
        (1708, "expires_date", .date), (1710, "type_1710_product_item_id", .integer),
        (1711, "web_order_line_item_id", .integer), (1712, "cancellation_date", .date),
        (1713, "is_trial_period", .flag), (1719, "is_in_intro_offer_period", .flag),
        (1721, "promotional_offer_id", .text),
    ]

    /// Opaque values above this size are shown by their length.
    private static let shownByteCount = 32

    static func json(_ receipt: AppReceipt) -> JSONValue {
        var object = JSONObject()
        append(receiptFields, of: receipt.attributes, to: &object)
        object.append("in_app", .array(receipt.purchases.map(json)))
        object.append("attributes", .array(receipt.attributes.map(json)))
        return .object(object)
    }

    private static func json(_ purchase: InAppPurchase) -> JSONValue {
        var object = JSONObject()
        append(purchaseFields, of: purchase.attributes, to: &object)
        let named = Set(purchaseFields.map(\.type))
        var others = JSONObject()
        for attribute in purchase.attributes where !named.contains(attribute.type) {
            others.append("\(attribute.type)", plain(attribute).value)
        }
        object.append("other", .object(others))
        object.append("types", .array(purchase.attributes.map { .integer($0.type) }))
        return .object(object)
    }

    private static func append(
        _ fields: [Field], of attributes: [ReceiptAttribute], to object: inout JSONObject
    ) {
        for (type, name, form) in fields {
            object.append(name, value(attributes.first { $0.type == type }, as: form))
        }
    }

    private static func value(_ attribute: ReceiptAttribute?, as form: Form) -> JSONValue {
        guard let attribute, !attribute.octets.isEmpty else { return .null }
        switch (form, attribute.value) {
        case (.hexadecimal, _): return .string(Hexadecimal.text(of: attribute.octets))
        case (.length, _): return .integer(attribute.octets.count)
        case (.integer, .integer(let number)): return .integer(number)
        case (.flag, .integer(let number)): return .bool(number != 0)
        case (.text, let value): return value.text.map { .string($0) } ?? .null
        case (.date, let value): return value.text.map(date) ?? .null
        default: return .null
        }
    }

    private static func date(_ text: String) -> JSONValue {
        let instant = Instant(rfc3339: text)
        return [
            "raw": .string(text),
            "epoch_ms": instant.map { .integer($0.millisecondsSinceEpoch) } ?? .null,
            "utc": .optional(instant?.rfc3339),
        ]
    }

    private static func json(_ attribute: ReceiptAttribute) -> JSONValue {
        let (encoding, value) = plain(attribute)
        return [
            "type": .integer(attribute.type), "version": .integer(attribute.version),
            "encoding": .string(encoding), "value": value,
        ]
    }

    /// The value by its own encoding.
    private static func plain(
        _ attribute: ReceiptAttribute
    ) -> (encoding: String, value: JSONValue) {
        switch attribute.value {
        case .text(let text): return ("UTF8String", .string(text))
        case .asciiText(let text): return ("IA5String", .string(text))
        case .printableText(let text): return ("PrintableString", .string(text))
        case .integer(let number): return ("INTEGER", .integer(number))
        case .opaque:
            let octets = attribute.octets
            let isShown = octets.count <= shownByteCount
            return (
                "opaque bytes",
                .string(isShown ? Hexadecimal.text(of: octets) : "<\(octets.count) bytes>")
            )
        }
    }
}

extension ReceiptAttribute.Value {
    /// The text in any of its encodings; nil for an empty one, which is how receipts spell absent.
    fileprivate var text: String? {
        switch self {
        case .text(let text), .asciiText(let text), .printableText(let text):
            text.isEmpty ? nil : text
        case .integer, .opaque: nil
        }
    }
}
