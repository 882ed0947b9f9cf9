// SPDX-License-Identifier: Apache-2.0

/// The form in which results are shown to people.
enum Markdown {
    static func table(_ head: [String], _ rows: [[String]]) -> String {
        ([head, head.map { _ in "---" }] + rows)
            .map { "| " + $0.joined(separator: " | ") + " |\n" }.joined()
    }
}

extension Double {
    /// The number with no, one or two digits behind the point.
    func text(digits: Int) -> String {
        let scale = digits == 0 ? 1 : digits == 1 ? 10.0 : 100.0
        let rounded = (self * scale).rounded()
        guard digits > 0 else { return String(Int(rounded)) }
        let whole = Int(rounded / scale)
        let rest = String(Int(rounded) - whole * Int(scale))
        return "\(whole)." + String(repeating: "0", count: digits - rest.count) + rest
    }
}
