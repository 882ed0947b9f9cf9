// SPDX-License-Identifier: Apache-2.0

/// A CMS SignedData container (RFC 5652 § 5), taken apart but not judged: the form of app receipts.
public struct SignedCMS: Sendable {
    /// The signed octets; in an app receipt a SET of attributes.
    public let content: ArraySlice<UInt8>

    /// How many bytes follow the container; a verified one has none.
    public let trailingByteCount: Int

    /// Who claims to have signed; a verified container has exactly one.
    let signers: [ContainerSigner]

    /// The certificates as found, one behind the other.
    let certificateSet: ArraySlice<UInt8>

    /// Whether it carries revocation lists, which no receipt does.
    let hasRevocationLists: Bool

    /// How many bytes are neither content nor behind the container.
    let unsignedByteCount: Int

    static let data = OID(1, 2, 840, 113_549, 1, 7, 1)
    private static let signedData = OID(1, 2, 840, 113_549, 1, 7, 2)

    /// Takes a container apart; the encoding may be BER.
    ///
    /// Nothing is copied but content in pieces, so the value keeps the whole array in memory.
    ///
    /// - Throws: ``TrustFailure`` with the verdict `malformed`, also for a container whose content
    ///   lies elsewhere.
    public init(_ bytes: ArraySlice<UInt8>) throws(TrustFailure) {
        let layout: Layout
        do throws(ASN1Error) {
            layout = try Layout(bytes)
        } catch {
            throw TrustFailure(.malformed, .containerStructure, actual: error.description)
        }
        try Self.require(Self.signedData, layout.containerType, .containerType)
        try Self.require(Self.data, layout.contentType, .contentType)
        guard let content = layout.content else {
            throw TrustFailure(.malformed, .contentPresent, expected: "content inside")
        }
        self.content = content
        trailingByteCount = layout.trailingByteCount
        signers = layout.signers
        certificateSet = layout.certificateSet
        hasRevocationLists = layout.hasRevocationLists
        unsignedByteCount = bytes.count - trailingByteCount - content.count
    }

    private static func require(
        _ expected: OID, _ actual: OID, _ check: Check
    ) throws(TrustFailure) {
        guard actual == expected else {
            throw TrustFailure(
                .malformed, check, expected: expected.description, actual: actual.description)
        }
    }

    /// The certificates in the container in their order, for display before any judgement.
    ///
    /// - Throws: ``TrustFailure`` with the verdict `malformed` if one cannot be read, or if there are
    ///   more than eight.
    public func certificates() throws(TrustFailure) -> [Certificate] {
        // Copied, so that a remembered certificate does not keep a whole receipt in memory.
        let encodings: [[UInt8]]
        do throws(ASN1Error) {
            encodings = try certificateEncodings().map { Array($0) }
        } catch {
            throw TrustFailure(.malformed, .certificateStructure, actual: error.description)
        }
        var certificates: [Certificate] = []
        for encoding in encodings { certificates.append(try Certificate(der: encoding)) }
        return certificates
    }

    private func certificateEncodings() throws(ASN1Error) -> [ArraySlice<UInt8>] {
        var encodings: [ArraySlice<UInt8>] = []
        var reader = try ASN1Reader(certificateSet, rules: .basic)
        while let element = try reader.next() {
            guard encodings.count < Limits.maximumCertificateCount else {
                throw ASN1Error(
                    .count, "more than \(Limits.maximumCertificateCount) certificates",
                    at: element.offset)
            }
            encodings.append(element.encoding)
        }
        return encodings
    }
}

/// The fields of ContentInfo and SignedData.
private struct Layout {
    let containerType: OID
    let contentType: OID
    let content: ArraySlice<UInt8>?
    let certificateSet: ArraySlice<UInt8>
    let hasRevocationLists: Bool
    let signers: [ContainerSigner]
    let trailingByteCount: Int

    init(_ bytes: ArraySlice<UInt8>) throws(ASN1Error) {
        var reader = try ASN1Reader(bytes, rules: .basic)
        var contentInfo = try reader.next(.sequence).children()
        trailingByteCount = reader.remainingByteCount
        containerType = try contentInfo.next(.objectIdentifier).objectIdentifier()
        var explicit = try contentInfo.next(.contextSpecific(0)).children()
        try contentInfo.finish()

        var fields = try explicit.next(.sequence).children()
        try explicit.finish()
        _ = try fields.next(.integer)
        _ = try fields.next(.set)
        (contentType, content) = try Self.encapsulated(fields.next(.sequence))
        certificateSet = try fields.nextIfPresent(.contextSpecific(0))?.content ?? []
        hasRevocationLists = try fields.nextIfPresent(.contextSpecific(1)) != nil
        signers = try Self.signers(fields.next(.set))
        try fields.finish()
    }

    private static func encapsulated(
        _ element: ASN1Element
    ) throws(ASN1Error) -> (OID, ArraySlice<UInt8>?) {
        var fields = try element.children()
        let type = try fields.next(.objectIdentifier).objectIdentifier()
        let explicit = try fields.nextIfPresent(.contextSpecific(0))
        try fields.finish()
        guard var inner = try explicit?.children() else { return (type, nil) }
        let octets = try inner.next(.octetString).octets()
        try inner.finish()
        return (type, octets)
    }

    private static func signers(_ element: ASN1Element) throws(ASN1Error) -> [ContainerSigner] {
        var signers: [ContainerSigner] = []
        var reader = try element.children()
        while let signer = try reader.next() {
            guard signers.count < Limits.maximumSignerCount else {
                throw ASN1Error(
                    .count, "more than \(Limits.maximumSignerCount) signers", at: signer.offset)
            }
            signers.append(try ContainerSigner(signer))
        }
        return signers
    }
}
