// SPDX-License-Identifier: Apache-2.0

internal import CounterfoilCore

/// What a request asks for: the path and the query of its request line.
public struct HTTPTarget: Hashable, Sendable {
    /// One `name=value` pair of a query.
    public struct QueryItem: Hashable, Sendable {
        /// The name, decoded.
        public let name: String

        /// The value, decoded; empty where there is no equals sign.
        public let value: String

        /// Makes a pair of decoded texts.
        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The path as it was sent, still percent-encoded; starts with a slash, or is `*`.
    public let path: String

    /// The path's parts, decoded one by one, so that an encoded slash belongs to its segment.
    public let segments: [String]

    /// The query's pairs in order, repeated names included.
    public let query: [QueryItem]

    /// Takes a request target apart.
    ///
    /// Both the origin form and the absolute form are taken, as RFC 9112 § 3.2.2 demands of servers.
    ///
    /// - Returns: nil if it is neither of those nor `*`, holds a byte that must be encoded, or decodes
    ///   to something that is not UTF-8 or holds a control character (a NUL would be cut off by C
    ///   libraries behind us).
    public init?(_ text: String) {
        let bytes = Array(text.utf8)
        for byte in bytes where byte <= 0x20 || byte >= 0x7F || byte == UInt8(ascii: "#") {
            return nil
        }
        let rest = Self.withoutAuthority(bytes[...])
        if rest.count == 1, rest.first == UInt8(ascii: "*") {
            (path, segments, query) = ("*", [], [])
            return
        }
        guard rest.first == UInt8(ascii: "/") else { return nil }
        let mark = rest.firstIndex(of: UInt8(ascii: "?")) ?? rest.endIndex
        path = String(decoding: rest[..<mark], as: UTF8.self)
        var segments: [String] = []
        var start = rest.startIndex + 1
        while start <= mark {
            let end = rest[start..<mark].firstIndex(of: UInt8(ascii: "/")) ?? mark
            guard let segment = Self.decode(rest[start..<end], plusIsSpace: false) else {
                return nil
            }
            segments.append(segment)
            start = end + 1
        }
        self.segments = segments
        guard let query = Self.query(rest[mark...].dropFirst()) else { return nil }
        self.query = query
    }

    /// The value of the first pair with that name, or nil.
    public func queryValue(_ name: String) -> String? {
        query.first { $0.name == name }?.value
    }

    private static func withoutAuthority(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        if bytes.first == UInt8(ascii: "/") { return bytes }
        for scheme in ["http://", "https://"] where bytes.starts(with: scheme.utf8) {
            let behind = bytes.dropFirst(scheme.utf8.count)
            let start = behind.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") }
            let rest = start.map { behind[$0...] } ?? []
            return rest.first == UInt8(ascii: "/") ? rest : [UInt8(ascii: "/")] + rest
        }
        return bytes
    }

    private static func query(_ bytes: ArraySlice<UInt8>) -> [QueryItem]? {
        if bytes.isEmpty { return [] }
        var items: [QueryItem] = []
        for pair in bytes.split(separator: UInt8(ascii: "&")) {
            let equals = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
            guard let name = decode(pair[..<equals], plusIsSpace: true),
                let value = decode(pair[equals...].dropFirst(), plusIsSpace: true)
            else { return nil }
            items.append(QueryItem(name: name, value: value))
        }
        return items
    }

    private static func decode(_ bytes: ArraySlice<UInt8>, plusIsSpace: Bool) -> String? {
        // Without an escape it is what it was checked to be: visible ASCII.
        guard bytes.contains(where: { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "+") }) else {
            return String(decoding: bytes, as: UTF8.self)
        }
        var decoded: [UInt8] = []
        decoded.reserveCapacity(bytes.count)
        var position = bytes.startIndex
        while position < bytes.endIndex {
            var byte = bytes[position]
            position += 1
            if byte == UInt8(ascii: "%") {
                guard position + 1 < bytes.endIndex,
                    let high = Hexadecimal.value(of: bytes[position]),
                    let low = Hexadecimal.value(of: bytes[position + 1])
                else { return nil }
                byte = high << 4 | low
                position += 2
            } else if plusIsSpace, byte == UInt8(ascii: "+") {
                byte = UInt8(ascii: " ")
            }
            guard byte >= 0x20, byte != 0x7F else { return nil }
            decoded.append(byte)
        }
        return String(validating: decoded, as: UTF8.self)
    }
}
