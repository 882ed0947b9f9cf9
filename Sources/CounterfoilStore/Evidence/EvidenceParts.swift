// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore

/// The parts of evidence in a row: literal bytes, each piece followed by what stood behind it.
enum PartTag: UInt8 {
    case end = 0

    /// A certificate in its binary form; its number follows.
    case certificate = 1

    /// A certificate in base64; its number follows.
    case encodedCertificate = 2

    /// Three parts in base64 between dots: two rows of parts and a signature follow.
    case signedText = 3
}

/// Takes evidence apart, so that what repeats stands alone and base64 does not hide text.
struct PartWriter {
    /// Runs of base64 that are shorter stay as they are.
    private static let shortestRun = 100

    /// Whether certificates are still taken out: what is found beyond the limits stays where it is,
    /// so that pieces that merely look like certificates cost no more than other bytes.
    private var takesCertificates: Bool
    private var findCount = 0
    private var certificateByteCount = 0
    private(set) var output: [UInt8] = []

    /// What was taken out, each once.
    private(set) var certificates: [[UInt8]] = []

    init(takesCertificates: Bool) {
        self.takesCertificates = takesCertificates
    }

    mutating func write(_ bytes: [UInt8]) {
        if bytes.first == 0x30 {
            writeBinary(bytes[...])
        } else {
            writeText(bytes[...], depth: 0)
        }
    }

    private mutating func writeBinary(_ bytes: ArraySlice<UInt8>) {
        var written = bytes.startIndex
        var place = bytes.startIndex
        while takesCertificates, place < bytes.endIndex {
            guard bytes[place] == 0x30,
                let count = CertificateShape.byteCount(in: bytes, at: place),
                let number = number(of: bytes[place..<(place + count)])
            else {
                place += 1
                continue
            }
            write(literal: bytes[written..<place], .certificate)
            write(number: number)
            place += count
            written = place
        }
        write(literal: bytes[written...], .end)
    }

    private mutating func writeText(_ text: ArraySlice<UInt8>, depth: Int) {
        var written = text.startIndex
        var place = text.startIndex
        while let run = Base64Runs.next(in: text, from: place) {
            place = run.upperBound
            guard run.count >= Self.shortestRun else { continue }
            let before = text[written..<run.lowerBound]
            if write(run: text[run], behind: before, depth: depth) { written = run.upperBound }
        }
        write(literal: text[written...], .end)
    }

    /// Writes a run of base64 by what it holds; false if that is nothing known.
    private mutating func write(
        run: ArraySlice<UInt8>, behind literal: ArraySlice<UInt8>, depth: Int
    ) -> Bool {
        if depth < Limits.signedTextDepth, let parts = Base64Runs.parts(of: run),
            let header = Base64.decode(parts.header, .url), header.first == UInt8(ascii: "{"),
            let payload = Base64.decode(parts.payload, .url),
            let signature = Base64.decode(parts.signature, .url)
        {
            write(literal: literal, .signedText)
            writeText(header[...], depth: depth + 1)
            writeText(payload[...], depth: depth + 1)
            write(number: signature.count)
            output += signature
            return true
        }
        guard takesCertificates, let certificate = Base64.decode(run, .standard),
            CertificateShape.byteCount(in: certificate[...], at: 0) == certificate.count,
            let number = number(of: certificate[...])
        else { return false }
        write(literal: literal, .encodedCertificate)
        write(number: number)
        return true
    }

    private mutating func write(literal: ArraySlice<UInt8>, _ tag: PartTag) {
        write(number: literal.count)
        output += literal
        output.append(tag.rawValue)
    }

    /// The number of a certificate among those taken out; nil once there were too many.
    private mutating func number(of certificate: ArraySlice<UInt8>) -> Int? {
        findCount += 1
        let known = certificates.firstIndex { certificate.elementsEqual($0) }
        let byteCount = certificateByteCount + (known == nil ? certificate.count : 0)
        guard findCount <= Limits.certificateFinds, byteCount <= Limits.certificateChain else {
            takesCertificates = false
            return nil
        }
        if let known { return known }
        certificateByteCount = byteCount
        certificates.append(Array(certificate))
        return certificates.count - 1
    }

    /// Seven bits in each byte, the lowest first; the top bit says that more follow.
    private mutating func write(number: Int) {
        output += VariableNumber.bytes(of: number)
    }
}

/// Puts evidence together again; nil wherever the parts make no sense.
struct PartReader {
    private var input: ArraySlice<UInt8>
    private let certificates: [ArraySlice<UInt8>]

    /// The most bytes that may come out at any depth.
    private let limit: Int

    init(_ input: [UInt8], certificates: [ArraySlice<UInt8>], limit: Int) {
        self.input = input[...]
        self.certificates = certificates
        self.limit = limit
    }

    /// The evidence, if all of the input belongs to it.
    mutating func read() -> [UInt8]? {
        guard let bytes = readParts(depth: 0), input.isEmpty else { return nil }
        return bytes
    }

    private mutating func readParts(depth: Int) -> [UInt8]? {
        var output: [UInt8] = []
        while true {
            guard let literal = readBytes(), let tag = input.popFirst().flatMap(PartTag.init)
            else { return nil }
            output += literal
            switch tag {
            case .end:
                return output.count <= limit ? output : nil
            case .certificate:
                guard let certificate = readCertificate() else { return nil }
                output += certificate
            case .encodedCertificate:
                guard let certificate = readCertificate() else { return nil }
                output += Base64.encode(certificate, .standard).utf8
            case .signedText:
                guard depth < Limits.signedTextDepth, let header = readParts(depth: depth + 1),
                    let payload = readParts(depth: depth + 1), let signature = readBytes()
                else { return nil }
                let parts = [header[...], payload[...], signature]
                    .map { Base64.encode($0, .url) }
                output += parts.joined(separator: ".").utf8
            }
            guard output.count <= limit else { return nil }
        }
    }

    private mutating func readBytes() -> ArraySlice<UInt8>? {
        guard let count = VariableNumber.read(from: &input), count <= input.count else {
            return nil
        }
        let bytes = input.prefix(count)
        input = input.dropFirst(count)
        return bytes
    }

    private mutating func readCertificate() -> ArraySlice<UInt8>? {
        guard let number = VariableNumber.read(from: &input), certificates.indices.contains(number)
        else { return nil }
        return certificates[number]
    }
}

/// Numbers in as few bytes as they need.
enum VariableNumber {
    static func bytes(of number: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = number
        while rest >= 0x80 {
            bytes.append(UInt8(rest & 0x7F) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
        return bytes
    }

    /// The number at the beginning; nil if it does not end or is larger than any evidence.
    static func read(from input: inout ArraySlice<UInt8>) -> Int? {
        var number = 0
        for shift in stride(from: 0, to: 35, by: 7) {
            guard let byte = input.popFirst() else { return nil }
            number |= Int(byte & 0x7F) << shift
            if byte < 0x80 { return number }
        }
        return nil
    }
}
