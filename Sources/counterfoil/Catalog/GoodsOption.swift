// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore

/// What a user says that a product is worth: `PRODUCT=UNIT:AMOUNT`, with `+BONUS`, or
/// `PRODUCT=ENTITLEMENT`, with `/DURATION`.
struct GoodsOption: Hashable, Sendable {
    /// One part of what a product is worth.
    enum Goods: Hashable, Sendable {
        case unit(String, amount: Int64, bonus: Int64)
        case entitlement(String, duration: String?)
    }

    let product: String
    let goods: Goods

    init(_ text: String) throws(UsageError) {
        // Neither side of product ids may hold an equals sign, so the last one parts the two.
        guard let mark = text.lastIndex(of: "="), mark != text.startIndex else {
            throw Self.refusal(text)
        }
        product = String(text[..<mark])
        let worth = text[text.index(after: mark)...]
        if let colon = worth.firstIndex(of: ":") {
            let parts = worth[worth.index(after: colon)...].split(
                separator: "+", omittingEmptySubsequences: false)
            guard colon != worth.startIndex, (1...2).contains(parts.count),
                let amount = Int64(parts[0]), amount >= 0,
                let bonus = parts.count == 2 ? Int64(parts[1]) : 0, bonus >= 0
            else { throw Self.refusal(text) }
            goods = .unit(String(worth[..<colon]), amount: amount, bonus: bonus)
        } else {
            let parts = worth.split(separator: "/", omittingEmptySubsequences: false)
            guard (1...2).contains(parts.count), !parts[0].isEmpty else {
                throw Self.refusal(text)
            }
            let duration = parts.count == 2 ? String(parts[1]) : nil
            guard duration == nil || CalendarPeriod(iso8601: duration ?? "") != nil else {
                throw UsageError("--goods \(text): \(duration ?? "") is no duration such as P30D")
            }
            goods = .entitlement(String(parts[0]), duration: duration)
        }
    }

    private static func refusal(_ text: String) -> UsageError {
        UsageError(
            "--goods takes PRODUCT=UNIT:AMOUNT[+BONUS] or PRODUCT=ENTITLEMENT[/DURATION], not \(text)"
        )
    }
}
