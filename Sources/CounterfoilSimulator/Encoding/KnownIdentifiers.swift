// SPDX-License-Identifier: Apache-2.0

/// The object identifiers that the authority writes.
package enum KnownIdentifiers {
    /// Marks the certificate that signs receipts and signed transactions.
    package static let receiptSigningMarker = "1.2.840.113635.100.6.11.1"

    /// Marks Apple's intermediate for developers.
    package static let developerRelationsMarker = "1.2.840.113635.100.6.2.1"

    /// Marks the certificate that signed the receipts of iOS 6.
    package static let purchaseReceiptMarker = "1.2.840.113635.100.6.5.1"

    /// Marks the intermediate that issued the former.
    package static let iTunesStoreMarker = "1.2.840.113635.100.6.2.2"

    package static let signedData = "1.2.840.113549.1.7.2"
    package static let data = "1.2.840.113549.1.7.1"
    package static let rsaEncryption = "1.2.840.113549.1.1.1"
    package static let sha256WithRSA = "1.2.840.113549.1.1.11"
    package static let sha1WithRSA = "1.2.840.113549.1.1.5"
    package static let ecdsaWithSHA256 = "1.2.840.10045.4.3.2"
    package static let ecdsaWithSHA384 = "1.2.840.10045.4.3.3"
    package static let sha1 = "1.3.14.3.2.26"
    package static let sha256 = "2.16.840.1.101.3.4.2.1"
    package static let sha384 = "2.16.840.1.101.3.4.2.2"
    package static let sha512 = "2.16.840.1.101.3.4.2.3"
    package static let contentTypeAttribute = "1.2.840.113549.1.9.3"
    package static let messageDigestAttribute = "1.2.840.113549.1.9.4"
    package static let signingTimeAttribute = "1.2.840.113549.1.9.5"

    static let commonName = "2.5.4.3"
    static let countryName = "2.5.4.6"
    static let organizationName = "2.5.4.10"
    static let organizationalUnitName = "2.5.4.11"
    static let subjectKeyIdentifier = "2.5.29.14"
    static let keyUsage = "2.5.29.15"
    static let basicConstraints = "2.5.29.19"
    static let authorityKeyIdentifier = "2.5.29.35"
}
