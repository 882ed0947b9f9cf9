// SPDX-License-Identifier: Apache-2.0

import CounterfoilCrypto

/// What a signer signed in place of the content (RFC 5652 § 11).
struct SignedAttributes {
    private var contentType: OID?
    private var messageDigest: ArraySlice<UInt8>?
    private let encoding: ArraySlice<UInt8>

    private static let contentTypeName = OID(1, 2, 840, 113_549, 1, 9, 3)
    private static let messageDigestName = OID(1, 2, 840, 113_549, 1, 9, 4)
    private static let setIdentifier: UInt8 = 0x31

    init(_ element: ASN1Element) throws(TrustFailure) {
        encoding = element.encoding
        do throws(ASN1Error) {
            try read(element)
        } catch {
            throw TrustFailure(.malformed, .signedAttributes, actual: error.description)
        }
    }

    private mutating func read(_ element: ASN1Element) throws(ASN1Error) {
        var names: Set<OID> = []
        var attributes = try element.children()
        while let attribute = try attributes.next() {
            guard names.count < Limits.maximumSignedAttributeCount else {
                throw ASN1Error(
                    .count, "more than \(Limits.maximumSignedAttributeCount) attributes",
                    at: attribute.offset)
            }
            try attribute.require(.sequence)
            var fields = try attribute.children()
            let name = try fields.next(.objectIdentifier).objectIdentifier()
            var values = try fields.next(.set).children()
            try fields.finish()
            guard names.insert(name).inserted else {
                throw ASN1Error(.value, "attribute \(name) twice", at: attribute.offset)
            }
            switch name {
            case Self.contentTypeName:
                contentType = try values.next(.objectIdentifier).objectIdentifier()
                try values.finish()
            case Self.messageDigestName:
                messageDigest = try values.next(.octetString).octets()
                try values.finish()
            default:
                break
            }
        }
    }

    /// Makes sure that the attributes speak of this content.
    func require(contentType expected: OID, messageDigest digest: [UInt8]) throws(TrustFailure) {
        guard contentType == expected else {
            throw TrustFailure(
                .malformed, .signedAttributes, expected: "content type \(expected)",
                actual: contentType?.description ?? "none")
        }
        guard let messageDigest else {
            throw TrustFailure(
                .malformed, .signedAttributes, expected: "a message digest", actual: "none")
        }
        guard messageDigest == digest[...] else {
            throw TrustFailure(.badSignature, .messageDigest)
        }
    }

    /// The bytes that were signed: the attributes as found, under the tag of a SET.
    var signedEncoding: [UInt8] {
        [Self.setIdentifier] + encoding.dropFirst()
    }
}
