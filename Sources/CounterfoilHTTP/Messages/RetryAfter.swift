// SPDX-License-Identifier: Apache-2.0

public import CounterfoilCore

/// How long another server asks us to stay away (RFC 9110 § 10.2.3).
public enum RetryAfter {
    /// Reads the field: whole seconds, or a moment as HTTP writes it.
    ///
    /// - Parameter now: The time to count a moment from.
    /// - Returns: nil where there is no such field or it cannot be read; zero for a moment that passed.
    public static func duration(in headers: HTTPHeaders, now: Instant) -> Duration? {
        guard let text = headers["Retry-After"] else { return nil }
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        if !text.isEmpty, text.utf8.allSatisfy(digits.contains) {
            // More digits mean "very long" all the same.
            return .seconds(Int64(text.prefix(9)) ?? 0)
        }
        return moment(text).map { max(.zero, $0.since(now)) }
    }

    /// A moment such as `Sun, 06 Nov 1994 08:49:37 GMT`; the two obsolete forms are not read.
    private static func moment(_ text: String) -> Instant? {
        let words = text.split(separator: " ")
        guard words.count == 6, words[0].hasSuffix(","), words[5] == "GMT",
            let month = months.firstIndex(of: String(words[2])), words[1].utf8.count == 2,
            words[3].utf8.count == 4
        else { return nil }
        let number = month + 1 < 10 ? "0\(month + 1)" : "\(month + 1)"
        return Instant(rfc3339: "\(words[3])-\(number)-\(words[1])T\(words[4])Z")
    }

    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
}
