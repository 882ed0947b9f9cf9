// SPDX-License-Identifier: Apache-2.0

/// The name of a subject or an issuer, as the certificate spells it.
///
/// Names are compared byte for byte: Apple's chains repeat them exactly, and anything looser would
/// only help somebody who imitates them.
public struct DistinguishedName: Hashable, Sendable, CustomStringConvertible {
    /// The DER of the name.
    public let der: ArraySlice<UInt8>

    init(der: ArraySlice<UInt8>) {
        self.der = der
    }

    private static let commonName = OID(2, 5, 4, 3)
    private static let shortNames: [OID: String] = [
        OID(2, 5, 4, 3): "CN", OID(2, 5, 4, 6): "C", OID(2, 5, 4, 7): "L", OID(2, 5, 4, 8): "ST",
        OID(2, 5, 4, 10): "O", OID(2, 5, 4, 11): "OU",
    ]

    /// The common name for people, or nil where there is none; no decision hangs on it.
    public var commonName: String? {
        attributes.first { $0.type == Self.commonName }?.text
    }

    /// The parts as `CN=…, OU=…` in the order of the certificate.
    public var description: String {
        attributes
            .map { "\(Self.shortNames[$0.type] ?? $0.type.description)=\($0.text)" }
            .joined(separator: ", ")
    }

    /// The attributes, up to the first one that cannot be read.
    private var attributes: [(type: OID, text: String)] {
        var attributes: [(type: OID, text: String)] = []
        do throws(ASN1Error) {
            let name = try ASN1Reader.only(.sequence, in: der, rules: .distinguished)
            var relativeNames = try name.children()
            while let relativeName = try relativeNames.next() {
                var pairs = try relativeName.children()
                while let pair = try pairs.next() {
                    var fields = try pair.children()
                    let type = try fields.next(.objectIdentifier).objectIdentifier()
                    guard let value = try fields.next() else { continue }
                    attributes.append((type, value.isText ? try value.text() : "?"))
                }
            }
        } catch {
            attributes.append((Self.commonName, "?"))
        }
        return attributes
    }
}
