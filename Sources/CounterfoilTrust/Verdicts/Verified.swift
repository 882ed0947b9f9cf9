// SPDX-License-Identifier: Apache-2.0

public import CounterfoilCore

/// A payload as its reader understood it, with the moment at which its signer must have been valid.
public struct DatedPayload<Payload> {
    /// What was read.
    public let payload: Payload

    /// When the content says it was signed: a JWS's `signedDate`, a receipt's creation date.
    ///
    /// Where the content has no such date, whoever reads it decides what stands in, or refuses.
    public let effectiveDate: Instant

    /// Makes the pair.
    public init(_ payload: Payload, effectiveDate: Instant) {
        self.payload = payload
        self.effectiveDate = effectiveDate
    }
}

/// What was read under a good signature, before its path is judged.
struct Settled<Payload> {
    let dated: DatedPayload<Payload>
    let evidenceSHA256: [UInt8]
}

extension DatedPayload: Sendable where Payload: Sendable {}

/// A payload that passed every check of this module.
///
/// That makes it Apple's word, or that of another configured authority. Whether it speaks of our app
/// and environment is still to be asked.
public struct Verified<Payload> {
    /// What was read from the signed bytes.
    public let payload: Payload

    /// The moment at which the path was valid.
    public let effectiveDate: Instant

    /// Who signed.
    public let path: CertificatePath

    /// The SHA-256 of all the bytes that were verified, which is what evidence is known by.
    public let evidenceSHA256: [UInt8]

    init(_ settled: Settled<Payload>, path: CertificatePath) {
        payload = settled.dated.payload
        effectiveDate = settled.dated.effectiveDate
        evidenceSHA256 = settled.evidenceSHA256
        self.path = path
    }
}

extension Verified: Sendable where Payload: Sendable {}
