// SPDX-License-Identifier: Apache-2.0

/// How much this module takes from outside before it refuses.
enum Limits {
    /// A real receipt with 187 purchases has 79 KB; a body of 8 MB holds 6 MB of receipt in base64, all of
    /// which is read.
    static let maximumContainerByteCount = 8 << 20

    /// What a container has beside its content: certificates, names and the signature are 4 to 6 KB.
    ///
    /// Nearly all of it is under no signature, and whoever owns a receipt can write it anew.
    static let maximumUnsignedByteCount = 32 << 10

    /// The content's own share of that: Xcode cuts it into pieces of 1 KB with a few bytes each.
    static let maximumUnsignedShareOfContent = 8

    /// Receipts and certificates nest about ten deep.
    static let maximumNestingDepth = 50

    /// Elements side by side in one structure; an 8 MB receipt of small purchases has about 30,000.
    static let maximumSiblingCount = 100_000

    /// Apple's certificates have up to 1,300 bytes.
    static let maximumCertificateByteCount = 16 << 10

    /// Receipts hold three certificates; a few more allow for an issuer in two versions.
    static let maximumCertificateCount = 8

    /// Signers that are read to say how many there are; one is all that is accepted.
    static let maximumSignerCount = 8

    /// Signed attributes of one signer; general tools write three or four.
    static let maximumSignedAttributeCount = 32

    /// A JWS of Apple's has 4 to 20 KB, notifications with two more inside included.
    static let maximumTokenByteCount = 1 << 20

    /// Three certificates as base64 in base64url have about 5 KB.
    static let maximumTokenHeaderByteCount = 64 << 10

    /// An anchor's certificate as PEM, with room for the text that tools write above it.
    static let maximumAnchorTextByteCount = 64 << 10

    /// Chains in use at one time: Apple has a handful, each simulated app one more.
    ///
    /// An entry takes about 10 KB.
    static let maximumCachedChainCount = 256

    /// Unknown chains checked at the same time; each costs about 2 ms of one core.
    static let maximumRunningChainCount = 2

    /// Unknown chains that may wait for those: a fraction of a second's work.
    static let maximumWaitingChainCount = 64

    /// What of a stranger's text a failure repeats, in bytes; two of them fit into a stored message.
    static let shownText = 200
}
