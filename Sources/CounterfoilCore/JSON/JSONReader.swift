// SPDX-License-Identifier: Apache-2.0

/// How much a document may hold before it is refused.
public struct JSONLimits: Sendable {
    /// The longest document in bytes.
    public var maximumByteCount: Int

    /// The deepest nesting of objects and arrays; the reader's stack grows with it.
    public var maximumDepth: Int

    /// The most values in one document, objects and arrays among them.
    public var maximumValueCount: Int

    /// Makes limits for one kind of document.
    ///
    /// - Parameters:
    ///   - maximumByteCount: By default 8 MB, the largest body that the server takes.
    ///   - maximumDepth: By default 32; Apple's deepest payload has 5 levels.
    ///   - maximumValueCount: By default a million, so that memory stays a small multiple of bytes.
    public init(
        maximumByteCount: Int = 8 << 20, maximumDepth: Int = 32, maximumValueCount: Int = 1_000_000
    ) {
        self.maximumByteCount = maximumByteCount
        self.maximumDepth = maximumDepth
        self.maximumValueCount = maximumValueCount
    }
}

/// Which grammar a text follows.
public enum JSONDialect: Sendable {
    /// RFC 8259 to the letter.
    case strict

    /// What people want of JSON5 in files that they write: comments, trailing commas, names without
    /// quotes (ASCII letters, digits, `_`, `$`), single quotes, a plus sign, hexadecimal integers and
    /// a byte order mark. The rest of JSON5 (infinities, bare decimal points, line continuations) is
    /// refused.
    case json5
}

/// A document that remembers on which line each value stands, for messages about its content.
public struct JSONDocument: Sendable {
    /// The document's content.
    public let value: JSONValue
    private let lines: [String: Int]

    init(value: JSONValue, lines: [String: Int]) {
        self.value = value
        self.lines = lines
    }

    /// The line of the value at a path such as `products[3].goods[0]`; the root's path is empty.
    ///
    /// For a path that does not exist the line of the nearest value around it is returned.
    public func line(at path: String) -> Int {
        var path = Substring(path)
        while true {
            if let line = lines[String(path)] { return line }
            guard let cut = path.lastIndex(where: { $0 == "." || $0 == "[" }) else { break }
            path = path[..<cut]
        }
        return lines[""] ?? 1
    }
}

extension JSONValue {
    /// Reads a document.
    ///
    /// Every byte must belong to it; a member named twice in one object is refused, since two readers
    /// could each trust another copy.
    ///
    /// - Throws: ``JSONError`` with the place.
    public init(
        parsing bytes: some Collection<UInt8>, dialect: JSONDialect = .strict,
        limits: JSONLimits = JSONLimits()
    ) throws(JSONError) {
        self = try JSONDocument.read(bytes, dialect, limits, recordsLines: false).value
    }
}

extension JSONDocument {
    /// Reads a document together with the lines of its values.
    ///
    /// - Throws: ``JSONError`` with the place.
    public init(
        parsing bytes: some Collection<UInt8>, dialect: JSONDialect,
        limits: JSONLimits = JSONLimits()
    ) throws(JSONError) {
        self = try Self.read(bytes, dialect, limits, recordsLines: true)
    }

    fileprivate static func read(
        _ bytes: some Collection<UInt8>, _ dialect: JSONDialect, _ limits: JSONLimits,
        recordsLines: Bool
    ) throws(JSONError) -> JSONDocument {
        var parser = JSONParser(
            text: Array(bytes), dialect: dialect, limits: limits, recordsLines: recordsLines)
        return try parser.document()
    }
}
