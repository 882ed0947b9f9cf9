// SPDX-License-Identifier: Apache-2.0

/// The two forms of an ECDSA signature: r and s at fixed width (JWS), or a DER sequence (X.509).
enum ECDSASignature {
    private static let integerTag: UInt8 = 0x02
    private static let sequenceTag: UInt8 = 0x30

    /// Calls `body` with the DER form of r and s, 32 bytes each.
    static func withDER<Result>(
        ofRaw raw: UnsafeBufferPointer<UInt8>, _ body: (UnsafeBufferPointer<UInt8>) -> Result
    ) -> Result {
        // Two integers of at most 33 bytes with two bytes of header each, and the outer header.
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 72) { output in
            var end = 2
            for part in [raw[0..<32], raw[32..<64]] {
                append(part, to: output, at: &end)
            }
            output[0] = sequenceTag
            output[1] = UInt8(end - 2)
            return body(UnsafeBufferPointer(rebasing: output[..<end]))
        }
    }

    private static func append(
        _ magnitude: Slice<UnsafeBufferPointer<UInt8>>,
        to output: UnsafeMutableBufferPointer<UInt8>, at end: inout Int
    ) {
        var digits = magnitude
        while digits.count > 1, digits.first == 0 { digits.removeFirst() }
        let needsZero = (digits.first ?? 0) >= 0x80
        output[end] = integerTag
        output[end + 1] = UInt8(digits.count + (needsZero ? 1 : 0))
        end += 2
        if needsZero {
            output[end] = 0
            end += 1
        }
        for digit in digits {
            output[end] = digit
            end += 1
        }
    }

    /// The fixed-width form of a DER signature that this process made itself.
    static func raw(fromDER encoded: [UInt8], width: Int) -> [UInt8]? {
        guard encoded.count >= 2, encoded[0] == sequenceTag, Int(encoded[1]) == encoded.count - 2
        else { return nil }
        var rest = encoded[2...]
        guard let r = integer(&rest, width: width), let s = integer(&rest, width: width),
            rest.isEmpty
        else { return nil }
        return r + s
    }

    private static func integer(_ rest: inout ArraySlice<UInt8>, width: Int) -> [UInt8]? {
        guard rest.popFirst() == integerTag, let count = rest.popFirst(), rest.count >= Int(count)
        else { return nil }
        let digits = rest.prefix(Int(count)).drop { $0 == 0 }
        rest.removeFirst(Int(count))
        guard digits.count <= width else { return nil }
        return [UInt8](repeating: 0, count: width - digits.count) + digits
    }
}
