// SPDX-License-Identifier: Apache-2.0

/// Why the content of an app receipt cannot be read.
public struct ReceiptPayloadError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Where, for example `attribute 12` or `purchase 3, attribute 1704`; `payload` for the whole.
    public let place: String

    /// What belongs there.
    public let expected: String

    /// What was found.
    public let actual: String

    package init(place: String, expected: String, actual: String) {
        self.place = place
        self.expected = expected
        self.actual = actual
    }

    /// The sentence.
    public var description: String { "\(place): expected \(expected), found \(actual)" }
}

/// A place in a receipt, made into words only where an error needs them.
struct ReceiptPlace {
    /// Counted from 1; 0 for the receipt itself.
    var purchase = 0

    /// -1 for the SET as a whole.
    var attribute: Int64 = -1

    func error(expected: String, actual: String) -> ReceiptPayloadError {
        var parts: [String] = []
        if purchase > 0 { parts.append("purchase \(purchase)") }
        if attribute >= 0 { parts.append("attribute \(attribute)") }
        return ReceiptPayloadError(
            place: parts.isEmpty ? "payload" : parts.joined(separator: ", "), expected: expected,
            actual: actual)
    }
}
