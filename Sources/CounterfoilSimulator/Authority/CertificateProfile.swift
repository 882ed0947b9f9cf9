// SPDX-License-Identifier: Apache-2.0
package import CounterfoilCore
package import CounterfoilCrypto

/// What a certificate of the authority shall say; every part can be made wrong on purpose.
package struct CertificateProfile: Sendable {
    /// The two usages that matter for paths.
    package struct KeyUsage: OptionSet, Sendable {
        package let rawValue: UInt8

        package init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        /// Bits of the BIT STRING's first byte (RFC 5280 § 4.2.1.3).
        package static let digitalSignature = KeyUsage(rawValue: 0x80)
        package static let certificateSigning = KeyUsage(rawValue: 0x04)
        package static let listSigning = KeyUsage(rawValue: 0x02)
    }

    package var commonName: String

    /// A whole name in DER in place of the one made of the common name.
    package var subject: [UInt8]?
    package var notBefore: Instant
    package var notAfter: Instant
    package var isAuthority = false
    package var pathLength: Int64?

    /// Nil leaves the extension out.
    package var keyUsage: KeyUsage? = .digitalSignature
    package var hasBasicConstraints = true

    /// Identifiers of marker extensions, whose value is NULL as in Apple's certificates.
    package var markers: [String] = []

    /// The identifier of an extension that nobody knows and that is marked critical.
    package var unknownCriticalExtension: String?

    /// Nil draws one at random.
    package var serialNumber: [UInt8]?

    /// The hash of the issuer's signature; nil takes the one that suits the issuer's key.
    package var signatureDigest: DigestAlgorithm?

    package init(commonName: String, notBefore: Instant, notAfter: Instant) {
        self.commonName = commonName
        self.notBefore = notBefore
        self.notAfter = notAfter
    }

    /// An end-entity certificate, valid from 400 days before the moment to 760 days after it.
    package static func leaf(
        _ commonName: String, around now: Instant, markers: [String] = []
    ) -> CertificateProfile {
        var profile = CertificateProfile(
            commonName: commonName, notBefore: now - days(400), notAfter: now + days(760))
        profile.markers = markers
        return profile
    }

    /// A certificate that issues others, valid from 1,200 days before the moment to ten years after.
    package static func authority(
        _ commonName: String, around now: Instant, pathLength: Int64? = nil, markers: [String] = []
    ) -> CertificateProfile {
        var profile = CertificateProfile(
            commonName: commonName, notBefore: now - days(1_200), notAfter: now + days(3_650))
        profile.isAuthority = true
        profile.pathLength = pathLength
        profile.keyUsage = [.certificateSigning, .listSigning]
        profile.markers = markers
        return profile
    }

    package static func days(_ count: Int64) -> Duration {
        .seconds(count * 86_400)
    }
}
