// SPDX-License-Identifier: Apache-2.0

/// An object identifier, compared by its encoded bytes.
package struct OID: Hashable, Sendable, CustomStringConvertible {
    /// The content octets of the encoding.
    package let octets: [UInt8]

    /// Takes the content of an encoded identifier, or returns nil if it is none.
    init?(contentOctets: ArraySlice<UInt8>) {
        var isAtArcStart = true
        for octet in contentOctets {
            if isAtArcStart, octet == 0x80 { return nil }
            isAtArcStart = octet < 0x80
        }
        guard !contentOctets.isEmpty, isAtArcStart else { return nil }
        octets = Array(contentOctets)
    }

    /// Makes the identifier of the arcs, for constants.
    package init(_ first: UInt64, _ second: UInt64, _ others: UInt64...) {
        precondition(first < 2 && second < 40 || first == 2, "no such arcs")
        octets = ([first * 40 + second] + others).flatMap(Self.base128)
    }

    private static func base128(_ arc: UInt64) -> [UInt8] {
        var octets = [UInt8(arc & 0x7F)]
        var rest = arc >> 7
        while rest > 0 {
            octets.append(UInt8(rest & 0x7F) | 0x80)
            rest >>= 7
        }
        return octets.reversed()
    }

    /// The arcs with dots, such as `1.2.840.113635.100.6.11.1`; an arc beyond 64 bits shows as `?`.
    package var description: String {
        var arcs: [UInt64?] = []
        var arc: UInt64? = 0
        for octet in octets {
            arc = arc.flatMap { $0 >> 57 == 0 ? $0 << 7 | UInt64(octet & 0x7F) : nil }
            guard octet < 0x80 else { continue }
            arcs.append(arc)
            arc = 0
        }
        guard let first = arcs.first.flatMap({ $0 }) else { return "?" }
        let root = min(first / 40, 2)
        let texts = ([root, first - root * 40] + arcs.dropFirst()).map {
            $0.map(String.init) ?? "?"
        }
        return texts.joined(separator: ".")
    }
}
