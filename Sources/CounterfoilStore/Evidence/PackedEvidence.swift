// SPDX-License-Identifier: Apache-2.0
import CounterfoilCrypto
package import CounterfoilDatabase

/// Evidence in the form in which it is stored.
///
/// Most of it repeats: the certificates of the store, the names of fields, base64. Certificates are
/// kept once for all evidence that carries the same; the rest is compressed with a dictionary of
/// what is known beforehand. Packing takes tens of microseconds and belongs before the transaction.
package struct PackedEvidence: Sendable {
    /// How the bytes are kept.
    package enum Encoding: Int64, Sendable {
        case whole = 0

        /// Only the beginning: it was refused when the day's quota was spent.
        case beginning = 1

        /// In parts, compressed with the first dictionary.
        case packed = 2
    }

    package let encoding: Encoding
    package let bytes: [UInt8]

    /// The certificates that were taken out.
    package let chain: CertificateChain?

    /// Takes up what is stored.
    init(encoding: Encoding, bytes: [UInt8], chain: CertificateChain?) {
        self.encoding = encoding
        self.bytes = bytes
        self.chain = chain
    }

    /// Packs evidence, unless that does not give back every byte or does not make it smaller.
    ///
    /// - Parameter sharesCertificates: Whether its certificates are kept apart, once for all. That
    ///   is for proven evidence: nobody else may fill the table of chains.
    package init(packing evidence: [UInt8], sharesCertificates: Bool) {
        self =
            Self.packed(evidence, sharesCertificates: sharesCertificates)
            ?? PackedEvidence(encoding: .whole, bytes: evidence, chain: nil)
    }

    /// Keeps only these bytes, the beginning of evidence.
    package init(beginning bytes: [UInt8]) {
        self.init(encoding: .beginning, bytes: bytes, chain: nil)
    }

    private static func packed(
        _ evidence: [UInt8], sharesCertificates: Bool
    ) -> PackedEvidence? {
        var writer = PartWriter(takesCertificates: sharesCertificates)
        writer.write(evidence)
        let certificates = Array(writer.certificates.joined())
        guard
            let compressed = Deflate.compress(
                writer.output, dictionary: EvidenceDictionary.first)
        else { return nil }
        let packed = PackedEvidence(
            encoding: .packed, bytes: VariableNumber.bytes(of: writer.output.count) + compressed,
            chain: certificates.isEmpty ? nil : CertificateChain(certificates))
        guard packed.bytes.count < evidence.count,
            packed.unpacked(count: evidence.count) == evidence
        else { return nil }
        return packed
    }

    /// The evidence as it came.
    ///
    /// - Parameters:
    ///   - sha256: Its digest, which is checked.
    ///   - byteCount: Its length.
    /// - Throws: ``DatabaseError`` with `corrupt` when what is stored does not give it back, with
    ///   `unexpectedValue` when only its beginning is stored.
    package func original(
        sha256: [UInt8], byteCount: Int64
    ) throws(DatabaseError) -> [UInt8] {
        guard encoding != .beginning else {
            throw DatabaseError(.unexpectedValue, "only the beginning of the evidence is stored")
        }
        guard let count = Int(exactly: byteCount), (0...Limits.evidence).contains(count),
            let evidence = encoding == .whole ? bytes : unpacked(count: count),
            Digest.sha256(evidence) == sha256
        else { throw DatabaseError(.corrupt, "stored evidence is damaged") }
        return evidence
    }

    private func unpacked(count: Int) -> [UInt8]? {
        var rest = bytes[...]
        // Parts cost a few bytes each and stand for many, so they are never much longer.
        guard let partCount = VariableNumber.read(from: &rest),
            partCount <= count + Limits.partOverhead,
            let parts = Deflate.expand(
                Array(rest), dictionary: EvidenceDictionary.first, count: partCount),
            let certificates = CertificateShape.split(chain?.bytes ?? [])
        else { return nil }
        var reader = PartReader(parts, certificates: certificates, limit: count)
        guard let evidence = reader.read(), evidence.count == count else { return nil }
        return evidence
    }
}

/// Certificates that came together, one behind the other.
package struct CertificateChain: Hashable, Sendable {
    package let sha256: [UInt8]
    package let bytes: [UInt8]

    init(_ bytes: [UInt8]) {
        sha256 = Digest.sha256(bytes)
        self.bytes = bytes
    }

    /// Takes up what is stored.
    init(sha256: [UInt8], bytes: [UInt8]) {
        self.sha256 = sha256
        self.bytes = bytes
    }
}
