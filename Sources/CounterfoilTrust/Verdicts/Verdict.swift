// SPDX-License-Identifier: Apache-2.0

/// The one word that says how far evidence can be believed.
///
/// The words are those of Counterfoil's receipt vectors and serve receipts and JWS alike. A word
/// that this version does not know survives as its raw value.
public struct Verdict: Hashable, Sendable, CustomStringConvertible {
    /// The word as it is printed and stored.
    public let rawValue: String

    /// Makes the verdict with that word.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The word.
    public var description: String { rawValue }

    /// Every check passed.
    public static let trusted = Verdict(rawValue: "trusted")

    /// The signature does not belong to the content and the signer's key.
    public static let badSignature = Verdict(rawValue: "bad-signature")

    /// The certificates do not lead to a configured anchor.
    public static let untrustedRoot = Verdict(rawValue: "untrusted-root")

    /// The path leads to an anchor, but its certificates were not issued to sign purchases.
    public static let wrongCertificatePurpose = Verdict(rawValue: "wrong-certificate-purpose")

    /// A certificate of the path was not valid when the content says it was signed.
    public static let certificateNotValidAtCreationDate = Verdict(
        rawValue: "certificate-not-valid-at-creation-date")

    /// The operator's deny list names the signer's certificate.
    public static let certificateDenied = Verdict(rawValue: "certificate-denied")

    /// The signer's certificate is not in the evidence.
    public static let signerCertificateMissing = Verdict(rawValue: "signer-certificate-missing")

    /// A container that nobody signed.
    public static let noSigner = Verdict(rawValue: "no-signer")

    /// Bytes follow the container.
    public static let trailingBytes = Verdict(rawValue: "trailing-bytes")

    /// The bytes are not the container that they should be.
    public static let malformed = Verdict(rawValue: "malformed")

    /// The signed content cannot be read.
    public static let malformedPayload = Verdict(rawValue: "malformed-payload")

    /// An iOS 6 receipt: what is signed holds, but not that money was paid.
    public static let trustedSignatureButEnvironmentUnproven = Verdict(
        rawValue: "trusted-signature-but-environment-unproven")

    /// Truly signed, for an app that is not ours.
    public static let otherBundle = Verdict(rawValue: "other-bundle")

    /// Truly signed, for an environment that is not allowed here.
    public static let otherEnvironment = Verdict(rawValue: "other-environment")

    /// Truly signed, with a date that has not come yet.
    public static let datedInFuture = Verdict(rawValue: "dated-in-future")

    /// Not judged, since too many unknown certificate chains are being checked; try again.
    public static let busy = Verdict(rawValue: "busy")
}
