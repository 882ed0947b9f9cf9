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
        self.expected = expected
        self.actual = actual
    }

    init(_ verdict: Verdict, _ check: Check, expected: String? = nil, actual: String? = nil) {
        self.init(verdict, check: check.rawValue, expected: expected, actual: actual)
    }

    /// The parts in one line.
    public var description: String {
        var text = "\(verdict): \(check)"
        if let expected { text += ", expected \(expected)" }
        if let actual { text += ", found \(actual)" }
        return text
    }
}
