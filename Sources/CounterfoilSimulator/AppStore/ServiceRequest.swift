// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilHTTP

/// What a call of the App Store Server API says beside its path.
struct ServiceQuery {
    private let items: [HTTPTarget.QueryItem]

    init(_ items: [HTTPTarget.QueryItem]) {
        self.items = items
    }

    func values(_ name: String) -> [String] {
        items.filter { $0.name == name }.map(\.value)
    }

    func value(_ name: String) -> String? { values(name).first }

    /// Milliseconds since 1970.
    func instant(_ name: String, orThrow error: APIError) throws(APIError) -> Instant? {
        guard let text = value(name) else { return nil }
        guard let number = Int64(text), number >= 0 else { throw error }
        return Instant(millisecondsSinceEpoch: number)
    }

    /// `true` or `false`, in any case: one of Apple's own libraries sends capitals.
    func bool(_ name: String, orThrow error: APIError) throws(APIError) -> Bool? {
        guard let text = value(name) else { return nil }
        switch text.lowercased() {
        case "true": return true
        case "false": return false
        default: throw error
        }
    }

    /// Everything but the position in a list, in one text: a position belongs to its question.
    func question(without name: String) -> String {
        items.filter { $0.name != name }.map { "\($0.name)=\($0.value)" }.sorted()
            .joined(separator: "&")
    }
}

/// A position in a list that is handed out and taken back: a number that belongs to one question.
enum PageMark {
    private static let separator: Character = "\u{1F}"

    static func text(_ number: Int64, question: String) -> String {
        Base64.encode(Array("\(number)\(separator)\(question)".utf8), .url)
    }

    /// The number; nil for a mark that is not ours or belongs to another question.
    static func number(_ text: String, question: String) -> Int64? {
        guard let bytes = Base64.decode(text.utf8, .url) else { return nil }
        let parts = String(decoding: bytes, as: UTF8.self).split(
            separator: separator, maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, String(parts[1]) == question else { return nil }
        return Int64(parts[0])
    }
}

/// The body of a call as an object.
struct ServiceBody {
    private let object: JSONObject

    init(_ bytes: [UInt8]) throws(APIError) {
        guard let value = try? JSONValue(parsing: bytes), let object = value.object else {
            throw APIError.badRequest
        }
        self.object = object
    }

    /// The member; nil where it is missing or null.
    subscript(name: String) -> JSONValue? {
        object[name] == .null ? nil : object[name]
    }

    /// The whole of it.
    var value: JSONValue { .object(object) }
}
