// SPDX-License-Identifier: Apache-2.0

package import CounterfoilCore
import CounterfoilHTTP

/// Reads the pairs of a query one by one, with a finding for each that is wrong, repeated or unknown.
///
/// Accessors return nil where a pair is not there, and after they reported a fault.
package struct QueryReader {
    /// Where faults are reported.
    package let findings: DocumentFindings
    private let items: [HTTPTarget.QueryItem]
    private var known: Set<String> = []

    init(_ items: [HTTPTarget.QueryItem], findings: DocumentFindings) {
        self.items = items
        self.findings = findings
    }

    /// The value converted; reported if `convert` returns nil.
    package mutating func value<Result>(
        _ name: String, _ problem: String, _ convert: (String) -> Result?
    ) -> Result? {
        known.insert(name)
        let values = items.filter { $0.name == name }.map(\.value)
        guard let text = values.first else { return nil }
        guard values.count == 1 else {
            findings.report(name, "is given more than once")
            return nil
        }
        let result = convert(text)
        if result == nil { findings.report(name, problem) }
        return result
    }

    /// Whether a pair is not there at all.
    package func isMissing(_ name: String) -> Bool {
        !items.contains { $0.name == name }
    }

    /// An identifier of the given kind.
    package mutating func identifier<Kind>(
        _ name: String, _ kind: Kind.Type
    ) -> Identifier<Kind>? {
        value(name, "is no \(Kind.name)") { try? Identifier<Kind>($0) }
    }

    /// An integer of a range.
    package mutating func integer(_ name: String, in range: ClosedRange<Int64>) -> Int64? {
        value(name, "is not an integer from \(range.lowerBound) to \(range.upperBound)") { text in
            Int64(text).flatMap { range.contains($0) ? $0 : nil }
        }
    }

    /// One of the named choices.
    package mutating func choice<Choice: RawRepresentable & CaseIterable>(
        _ name: String, _ type: Choice.Type
    ) -> Choice? where Choice.RawValue == String {
        let names = Choice.allCases.map(\.rawValue).joined(separator: ", ")
        return value(name, "is none of \(names)") { Choice(rawValue: $0) }
    }

    /// The environment of a read; Production where none is named.
    mutating func environment() -> AppStoreEnvironment {
        let environments: [AppStoreEnvironment] = [.production, .sandbox]
        let named = value("environment", "is neither Production nor Sandbox") { name in
            environments.first { $0.rawValue == name }
        }
        return named ?? .production
    }

    /// The length of a page of a list.
    mutating func pageLimit() -> Int64 {
        integer("limit", in: Limits.pageLimits) ?? Limits.defaultPageLimit
    }

    /// Reports every pair that nobody asked for, once.
    func finish() {
        var reported: Set<String> = []
        for name in items.map(\.name)
        where !known.contains(name) && reported.insert(name).inserted {
            findings.report(name, "is unknown here")
        }
    }
}

extension RequestContext {
    /// Reads the query. Every fault that `read` reports and every pair that it did not ask for is named
    /// in one answer.
    ///
    /// - Throws: ``Problem`` 400 with all faults.
    package func query<Value>(_ read: (inout QueryReader) -> Value) throws(Problem) -> Value {
        let findings = DocumentFindings()
        var reader = QueryReader(request.target.query, findings: findings)
        let value = read(&reader)
        reader.finish()
        guard findings.isEmpty else { throw .fields(findings.all) }
        return value
    }
}
