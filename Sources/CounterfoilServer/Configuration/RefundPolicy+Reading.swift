// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilEngine

extension RefundPolicy {
    /// Reads the member `refunds` of an app; every fault is reported.
    init(_ value: JSONValue, path: String, findings: DocumentFindings) {
        var reader = ObjectReader(value, path: path, findings: findings)
        var limits: [String: Int64] = [:]
        for entry in reader.entries("write_off_below", isRequired: false) {
            if !Self.isCurrency(entry.key) {
                findings.report(entry.path, "is no currency code such as USD")
            } else if let amount = entry.value.int64, amount >= 0 {
                limits[entry.key] = amount
            } else {
                findings.report(
                    entry.path, "is no amount in thousandths of the currency, as a whole number")
            }
        }
        let suggestion = reader.integer(
            "suggest_ban_from", in: 1...Limits.refundCount, isRequired: false)
        reader.finish()
        self.init(writesOffBelow: limits, suggestsBanFrom: suggestion)
    }

    /// ISO 4217: three letters.
    private static func isCurrency(_ text: String) -> Bool {
        text.utf8.count == 3
            && text.utf8.allSatisfy { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
    }
}
