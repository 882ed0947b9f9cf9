// SPDX-License-Identifier: Apache-2.0

package import CounterfoilCore
import CounterfoilHTTP

extension RequestContext {
    /// Reads the body as a JSON object.
    ///
    /// `read` takes the members that it knows; it need not look whether they were there. Every
    /// fault that it reports and every member that it did not ask for is named in one answer.
    ///
    /// - Throws: ``Problem`` if the body is no JSON (415, 400) or has a fault (400).
    package func body<Value>(
        _ read: (inout ObjectReader) -> Value?
    ) throws(Problem) -> Value {
        let findings = DocumentFindings()
        var reader = ObjectReader(try json(), findings: findings)
        let value = read(&reader)
        reader.finish()
        guard findings.isEmpty, let value else {
            precondition(!findings.isEmpty, "a reader that has no value has reported why")
            throw .fields(findings.all)
        }
        return value
    }

    /// The body as JSON of any form, for what others than our users write.
    ///
    /// - Throws: ``Problem`` if it is none (415, 400).
    func json() throws(Problem) -> JSONValue {
        guard !request.body.isEmpty else { throw .emptyBody }
        try requireJSON()
        let limits = JSONLimits(
            maximumByteCount: request.body.count, maximumDepth: Limits.bodyDepth,
            maximumValueCount: Limits.bodyValueCount)
        do throws(JSONError) {
            return try JSONValue(parsing: request.body, limits: limits)
        } catch {
            throw Problem(error)
        }
    }

    private func requireJSON() throws(Problem) {
        let encoding = request.headers["Content-Encoding"]?.lowercased() ?? "identity"
        guard encoding == "identity" else {
            throw .contentType("Content-Encoding is \(encoding); bodies are taken as they are")
        }
        guard let text = request.headers["Content-Type"] else {
            throw .contentType("Content-Type is missing; expected application/json")
        }
        let parts = text.lowercased().split(separator: ";").map { $0.filter { $0 != " " } }
        let isJSON = parts.first == "application/json"
        let isUTF8 = parts.dropFirst().allSatisfy {
            !$0.hasPrefix("charset=") || $0 == "charset=utf-8" || $0 == "charset=\"utf-8\""
        }
        guard isJSON, isUTF8, request.headers.values(of: "Content-Type").count == 1 else {
            throw .contentType("Content-Type is \(text); expected application/json")
        }
    }
}
