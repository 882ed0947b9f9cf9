// SPDX-License-Identifier: Apache-2.0

/// Why evidence was not believed: the check that failed, what it expected and what it found.
///
/// All texts are safe to show: they hold names of certificates and algorithms, never evidence.
public struct TrustFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The answer that the failure leads to.
    public let verdict: Verdict

    /// A stable name of the check, such as `path.leaf-marker` or `jws.alg`.
    public let check: String

    /// What the check asks for, where one can say.
    public let expected: String?

    /// What was found, where one can say.
    public let actual: String?

    /// Makes a failure.
    public init(
        _ verdict: Verdict, check: String, expected: String? = nil, actual: String? = nil
    ) {
        self.verdict = verdict
        self.check = check
        self.expected = expected.map(Self.shown)
        self.actual = actual.map(Self.shown)
    }

    init(_ verdict: Verdict, _ check: Check, expected: String? = nil, actual: String? = nil) {
        self.init(verdict, check: check.rawValue, expected: expected, actual: actual)
    }

    /// The text as it can be stored and shown: what stands in a failure may come from a stranger's
    /// token or certificate.
    private static func shown(_ text: String) -> String {
        let isPlain =
            text.utf8.count <= Limits.shownText && text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
        if isPlain { return text }
        var shown = ""
        for scalar in text.unicodeScalars {
            let isControl = scalar.value < 0x20 || scalar.value == 0x7F
            shown.unicodeScalars.append(isControl ? "\u{FFFD}" : scalar)
            if shown.utf8.count > Limits.shownText { return shown + "…" }
        }
        return shown
    }

    /// The parts in one line.
    public var description: String {
        var text = "\(verdict): \(check)"
        if let expected { text += ", expected \(expected)" }
        if let actual { text += ", found \(actual)" }
        return text
    }
}
