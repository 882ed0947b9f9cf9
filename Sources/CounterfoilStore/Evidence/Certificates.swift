// SPDX-License-Identifier: Apache-2.0

/// Finds certificates in evidence, by their shape alone.
///
/// What merely looks like one does no harm: evidence is only kept in parts if the parts give it back
/// byte by byte.
enum CertificateShape {
    /// The shortest that is looked for, in bytes.
    static let minimumByteCount = 128

    /// How long the certificate is that begins here; nil if none does.
    ///
    /// SEQUENCE, SEQUENCE, [0] INTEGER 2: a certificate of version 3, both lengths in two bytes.
    static func byteCount(in bytes: ArraySlice<UInt8>, at start: Int) -> Int? {
        guard start + 13 <= bytes.endIndex, bytes[start] == 0x30, bytes[start + 1] == 0x82,
            bytes[start + 4] == 0x30, bytes[start + 5] == 0x82,
            bytes[(start + 8)..<(start + 13)].elementsEqual([0xA0, 0x03, 0x02, 0x01, 0x02])
        else { return nil }
        let count = 4 + Int(bytes[start + 2]) << 8 + Int(bytes[start + 3])
        return count >= minimumByteCount && count <= bytes.endIndex - start ? count : nil
    }

    /// Takes a row of certificates apart.
    static func split(_ bytes: [UInt8]) -> [ArraySlice<UInt8>]? {
        var rest = bytes[...]
        var certificates: [ArraySlice<UInt8>] = []
        while !rest.isEmpty {
            guard let count = byteCount(in: rest, at: rest.startIndex) else { return nil }
            certificates.append(rest.prefix(count))
            rest = rest.dropFirst(count)
        }
        return certificates
    }
}
