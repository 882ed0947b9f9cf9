// SPDX-License-Identifier: Apache-2.0

/// What a certificate says about its use.
struct CertificateExtensions: Sendable {
    /// Whether the subject may issue certificates; nil where the certificate does not say.
    private(set) var isAuthority: Bool?

    /// How many intermediates may follow below, where limited.
    private(set) var pathLengthLimit: Int64?

    /// What the key may be used for; nil where the certificate does not say.
    private(set) var keyUsage: KeyUsage?

    /// The names of all extensions.
    private(set) var identifiers: Set<OID> = []

    /// Those that must be understood to use the certificate.
    private(set) var criticalIdentifiers: Set<OID> = []

    private static let basicConstraints = OID(2, 5, 29, 19)
    private static let keyUsageExtension = OID(2, 5, 29, 15)

    /// The standard extensions whose meaning the path rules apply.
    static let understood: Set<OID> = [basicConstraints, keyUsageExtension]

    /// A certificate without extensions.
    init() {}

    /// Reads `Extensions` (RFC 5280 § 4.1).
    init(_ list: ASN1Element) throws(ASN1Error) {
        var extensions = try list.children()
        while let item = try extensions.next() {
            try item.require(.sequence)
            var fields = try item.children()
            let identifier = try fields.next(.objectIdentifier).objectIdentifier()
            let isCritical = try fields.nextIfPresent(.boolean)?.bool() ?? false
            let value = try fields.next(.octetString).octets()
            try fields.finish()
            guard identifiers.insert(identifier).inserted else {
                throw ASN1Error(.value, "extension \(identifier) twice", at: item.offset)
            }
            if isCritical { criticalIdentifiers.insert(identifier) }
            try read(identifier, value)
        }
    }

    private mutating func read(
        _ identifier: OID, _ value: ArraySlice<UInt8>
    ) throws(ASN1Error) {
        switch identifier {
        case Self.basicConstraints:
            let constraints = try ASN1Reader.only(.sequence, in: value, rules: .distinguished)
            var fields = try constraints.children()
            isAuthority = try fields.nextIfPresent(.boolean)?.bool() ?? false
            pathLengthLimit = try fields.nextIfPresent(.integer)?.int64()
            try fields.finish()
        case Self.keyUsageExtension:
            keyUsage = try KeyUsage(
                ASN1Reader.only(.bitString, in: value, rules: .distinguished))
        default:
            break
        }
    }
}

/// The uses of a key that the path rules ask about (RFC 5280 § 4.2.1.3).
struct KeyUsage: Hashable, Sendable {
    let allowsSigningContent: Bool
    let allowsSigningCertificates: Bool

    init(_ bits: ASN1Element) throws(ASN1Error) {
        // Bit 0 is digitalSignature, bit 5 keyCertSign, counted from the top of the first byte.
        let first = try bits.bits().octets.first ?? 0
        allowsSigningContent = first & 0x80 != 0
        allowsSigningCertificates = first & 0x04 != 0
    }
}
