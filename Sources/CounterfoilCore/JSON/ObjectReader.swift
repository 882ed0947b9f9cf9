// SPDX-License-Identifier: Apache-2.0

/// One thing that is wrong with a document that people or programs write for us.
public struct DocumentFinding: Hashable, Sendable, CustomStringConvertible {
    /// Where, for example `products[3].goods[0].unit`; empty for the document itself.
    public let path: String

    /// What is wrong, as the end of a sentence that begins with the path.
    public let problem: String

    /// Makes a finding.
    public init(path: String, problem: String) {
        self.path = path
        self.problem = problem
    }

    /// The finding as one sentence.
    public var description: String { path.isEmpty ? problem : "\(path) \(problem)" }
}

/// Collects findings, so that a reader can name all faults of a document at once.
public final class DocumentFindings {
    /// More are not of use to anybody, and a hostile document could hold a million.
    private static let maximumCount = 50

    /// A member's name is data of the document and could fill megabytes.
    private static let maximumPathByteCount = 256

    /// The findings in the order they were reported; those beyond the limit are dropped.
    public private(set) var all: [DocumentFinding] = []

    /// Starts without findings.
    public init() {}

    /// Whether nothing was reported.
    public var isEmpty: Bool { all.isEmpty }

    /// Adds a finding; names that are too long to be meant are cut.
    public func report(_ path: String, _ problem: String) {
        guard all.count < Self.maximumCount else { return }
        let isLong = path.utf8.count > Self.maximumPathByteCount
        let shown = isLong ? path.prefix(Self.maximumPathByteCount / 4) + "…" : path[...]
        all.append(DocumentFinding(path: String(shown), problem: problem))
    }
}

/// Reads an object member by member, with a finding for each that is missing, of the wrong kind or
/// unknown.
///
/// Accessors return nil after they reported; callers read everything, call ``finish()``, and go on
/// only if there were no findings.
public struct ObjectReader {
    /// Where the object stands in its document; empty for the document itself.
    public let path: String

    /// Where faults are reported.
    public let findings: DocumentFindings
    private let object: JSONObject
    private var known: Set<ExactText> = []

    /// Starts on a value that should be an object; reports and reads as empty if it is none.
    public init(_ value: JSONValue, path: String = "", findings: DocumentFindings) {
        self.path = path
        self.findings = findings
        if let object = value.object {
            self.object = object
        } else {
            object = JSONObject()
            findings.report(path, "is \(value.kindName) where an object is expected")
        }
    }

    /// The path of a member.
    public func path(_ key: String) -> String {
        path.isEmpty ? key : "\(path).\(key)"
    }

    /// Reports a fault of a member that was read.
    public func report(_ key: String, _ problem: String) {
        findings.report(path(key), problem)
    }

    /// The member as it stands; nil where it is missing or `null`.
    public mutating func value(_ key: String) -> JSONValue? {
        known.insert(ExactText(key))
        let value = object[key]
        return value == .null ? nil : value
    }

    /// The member converted, or nil: reported if it is missing although required, or if `convert`
    /// returns nil.
    public mutating func member<Result>(
        _ key: String, _ expected: String, isRequired: Bool = true,
        _ convert: (JSONValue) -> Result?
    ) -> Result? {
        guard let value = value(key) else {
            if isRequired { report(key, "is missing; expected \(expected)") }
            return nil
        }
        guard let result = convert(value) else {
            report(key, "is \(value.shortText); expected \(expected)")
            return nil
        }
        return result
    }

    /// A text of at most `maximum` bytes without NUL, which a C library would take for its end.
    public mutating func string(
        _ key: String, maximum: Int, isRequired: Bool = true
    ) -> String? {
        member(key, "a string of at most \(maximum) bytes", isRequired: isRequired) { value in
            guard var text = value.string, text.utf8.count <= maximum,
                text.withUTF8({ !$0.contains(0) })
            else { return nil }
            return text
        }
    }

    /// An identifier of the given kind.
    public mutating func identifier<Kind>(
        _ key: String, _ kind: Kind.Type, isRequired: Bool = true
    ) -> Identifier<Kind>? {
        guard let text = member(key, "a string", isRequired: isRequired, \.string) else {
            return nil
        }
        do throws(IdentifierError) {
            return try Identifier<Kind>(text)
        } catch {
            report(key, error.problem)
            return nil
        }
    }

    /// An integer of a range.
    public mutating func integer(
        _ key: String, in range: ClosedRange<Int64>, isRequired: Bool = true
    ) -> Int64? {
        let expected = "an integer from \(range.lowerBound) to \(range.upperBound)"
        return member(key, expected, isRequired: isRequired) { value in
            value.int64.flatMap { range.contains($0) ? $0 : nil }
        }
    }

    /// A truth value.
    public mutating func bool(_ key: String, isRequired: Bool = true) -> Bool? {
        member(key, "true or false", isRequired: isRequired, \.bool)
    }

    /// A moment as RFC 3339 text.
    public mutating func instant(_ key: String, isRequired: Bool = true) -> Instant? {
        member(key, "a time such as 2026-01-31T00:00:00Z", isRequired: isRequired) { value in
            value.string.flatMap { Instant(rfc3339: $0) }
        }
    }

    /// One of the named choices.
    public mutating func choice<Choice: RawRepresentable & CaseIterable>(
        _ key: String, _ type: Choice.Type, isRequired: Bool = true
    ) -> Choice? where Choice.RawValue == String {
        let names = Choice.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
        return member(key, "one of \(names)", isRequired: isRequired) { value in
            value.string.flatMap { Choice(rawValue: $0) }
        }
    }

    /// The elements of a list with their paths; empty where the member is missing and not required.
    public mutating func elements(
        _ key: String, maximum: Int, isRequired: Bool = true
    ) -> [(path: String, value: JSONValue)] {
        let elements = member(
            key, "a list of at most \(maximum) elements", isRequired: isRequired
        ) { value in
            value.array.flatMap { $0.count <= maximum ? $0 : nil }
        }
        let listPath = path(key)
        return (elements ?? []).enumerated().map { ("\(listPath)[\($0.offset)]", $0.element) }
    }

    /// The members of an object whose names are data.
    public mutating func entries(
        _ key: String, isRequired: Bool = true
    ) -> [(key: String, path: String, value: JSONValue)] {
        let members = member(key, "an object", isRequired: isRequired, \.object)?.members ?? []
        return members.map { ($0.key, "\(path(key)).\($0.key)", $0.value) }
    }

    /// The names of the members that nobody asked for, in order.
    public var unknownKeys: [String] {
        object.keys.filter { !known.contains(ExactText($0)) }
    }

    /// Reports every member that nobody asked for.
    public func finish() {
        for key in unknownKeys { report(key, "is unknown here") }
    }
}

extension JSONValue {
    /// The value as a message shows it: scalars as written but short, others by kind.
    fileprivate var shortText: String {
        switch self {
        case .string(let text) where text.utf8.count > 40: "a string of \(text.utf8.count) bytes"
        case .number(let number) where number.text.utf8.count > 40: "a very long number"
        case .string, .number, .bool: text
        case .null, .array, .object: kindName
        }
    }
}
