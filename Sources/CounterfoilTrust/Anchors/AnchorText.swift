// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore

/// The forms in which people keep a certificate.
enum AnchorText {
    private static let begin = Array("-----BEGIN CERTIFICATE-----".utf8)
    private static let end = Array("-----END CERTIFICATE-----".utf8)

    /// The file cut before each PEM block but the first; a file without PEM is one part.
    static func parts(of file: [UInt8]) -> [ArraySlice<UInt8>] {
        guard file.count <= Limits.maximumAnchorTextByteCount else { return [file[...]] }
        var parts: [ArraySlice<UInt8>] = []
        var rest = file[...]
        while let start = offset(of: begin, in: rest),
            let next = offset(of: begin, in: rest[(start + begin.count)...])
        {
            parts.append(rest[..<next])
            rest = rest[next...]
        }
        return parts + [rest]
    }

    /// The DER of the only certificate in a file.
    static func der(of file: [UInt8]) throws(TrustFailure) -> [UInt8] {
        guard file.count <= Limits.maximumAnchorTextByteCount else {
            throw TrustFailure(
                .malformed, .anchorText,
                expected: "at most \(Limits.maximumAnchorTextByteCount) bytes")
        }
        // No text begins with the byte of a SEQUENCE in DER, except for the digit 0.
        if file.first == 0x30, !file.allSatisfy({ isBase64OrSpace($0) }) { return file }
        guard let start = offset(of: begin, in: file[...]) else { return try base64(file[...]) }
        let body = file[(start + begin.count)...]
        guard let stop = offset(of: end, in: body) else {
            throw TrustFailure(.malformed, .anchorText, actual: "a PEM block without an end")
        }
        guard offset(of: begin, in: file[stop...]) == nil else {
            throw TrustFailure(
                .malformed, .anchorText, expected: "one certificate", actual: "several")
        }
        return try base64(body[..<stop])
    }

    private static func base64(_ text: ArraySlice<UInt8>) throws(TrustFailure) -> [UInt8] {
        let characters = text.filter { !isSpace($0) }
        guard !characters.isEmpty, let der = Base64.decode(characters, .standard) else {
            throw TrustFailure(
                .malformed, .anchorText, expected: "a certificate as PEM, DER or base64")
        }
        return der
    }

    private static func offset(of pattern: [UInt8], in text: ArraySlice<UInt8>) -> Int? {
        text.indices.first { text[$0...].starts(with: pattern) }
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || (0x09...0x0D).contains(byte)
    }

    private static func isBase64OrSpace(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"),
            UInt8(ascii: "="):
            true
        default: isSpace(byte)
        }
    }
}

extension Certificate {
    /// Takes the one certificate in a file apart: PEM, DER, or base64 of DER.
    ///
    /// - Throws: ``TrustFailure`` with the verdict `malformed` if the bytes are none of these or hold
    ///   several certificates.
    public init(parsing file: some Collection<UInt8>) throws(TrustFailure) {
        try self.init(der: AnchorText.der(of: Array(file)))
    }
}
