// SPDX-License-Identifier: Apache-2.0

public import CounterfoilCore
import CounterfoilCrypto

/// Decides whether bytes are signed by somebody that a trust store believes.
///
/// The checks come in a fixed order, and the first that fails gives the verdict: form, signer,
/// signature over the content, the content's own form, the path to an anchor, the purpose of its
/// certificates, the deny list, and the validity of the path at the date that the signed content
/// names. Verification needs no clock and no network.
///
/// One verifier serves any number of threads. It remembers good chains, so keep it for the life of
/// the process and make a new one when the store changes.
public final class TrustVerifier: Sendable {
    private let store: TrustStore
    private let lane: ChainLane

    /// Chains by the certificates that they were built from.
    private let chains: ChainCache

    /// The same chains by whole JWS headers, which saves decoding base64 and JSON.
    private let headers: ChainCache

    /// Makes a verifier.
    ///
    /// - Parameters:
    ///   - maximumCachedChainCount: How many good chains are remembered; the one not used for longest
    ///     is forgotten.
    ///   - maximumRunningChainCount: How many unknown chains are checked at the same time.
    ///   - maximumWaitingChainCount: How many more may wait, blocking their threads, before a call
    ///     fails with the verdict `busy`.
    public convenience init(
        store: TrustStore, maximumCachedChainCount: Int? = nil,
        maximumRunningChainCount: Int? = nil, maximumWaitingChainCount: Int? = nil
    ) {
        let capacity = maximumCachedChainCount ?? Limits.maximumCachedChainCount
        self.init(
            store: store, chains: ChainCache(capacity: capacity),
            headers: ChainCache(capacity: capacity),
            lane: ChainLane(
                running: maximumRunningChainCount ?? Limits.maximumRunningChainCount,
                waiting: maximumWaitingChainCount ?? Limits.maximumWaitingChainCount))
    }

    init(store: TrustStore, chains: ChainCache, headers: ChainCache, lane: ChainLane) {
        self.store = store
        self.chains = chains
        self.headers = headers
        self.lane = lane
    }

    /// Verifies a CMS container, such as an app receipt, and reads its content.
    ///
    /// - Parameters:
    ///   - bytes: The container, exactly.
    ///   - read: Reads the content once its signature is known to be good; the path is still to be
    ///     judged, so it must not act on what it reads.
    /// - Throws: ``TrustFailure``; what `read` throws as well.
    public func verify<Payload>(
        cms bytes: ArraySlice<UInt8>,
        reading read: (ArraySlice<UInt8>) throws(TrustFailure) -> DatedPayload<Payload>
    ) throws(TrustFailure) -> Verified<Payload> {
        let container = try SignedCMS(bytes)
        let signer = try container.onlySigner()
        let (verified, _) = try judge(
            .receipt, under: container.chainKey(for: signer)
        ) { () throws(TrustFailure) in
            try container.certificates(of: signer)
        } settle: { key throws(TrustFailure) in
            try signer.signature.requireSignature(over: container.content, by: key)
            return Settled(
                dated: try read(container.content), evidenceSHA256: Digest.sha256(bytes))
        }
        return verified
    }

    /// Verifies a compact JWS by ES256 and reads its payload.
    ///
    /// - Parameters:
    ///   - text: The JWS, exactly.
    ///   - read: Reads the payload once its signature is known to be good; the path is still to be
    ///     judged, so it must not act on what it reads.
    /// - Throws: ``TrustFailure``; what `read` throws as well.
    public func verify<Payload>(
        jws text: ArraySlice<UInt8>,
        reading read: (JSONObject) throws(TrustFailure) -> DatedPayload<Payload>
    ) throws(TrustFailure) -> Verified<Payload> {
        let token = try CompactJWS(text)
        func settle(
            _ key: PublicKey, continuing header: DigestPrefix?
        ) throws(TrustFailure) -> Settled<Payload> {
            let payload = try token.payloadBytes()
            let digest = try token.requireSignature(by: key, continuing: header)
            return Settled(
                dated: try read(CompactJWS.payload(from: payload)), evidenceSHA256: digest)
        }
        if let chain = headers.chain(for: token.headerSegment) {
            return try Self.finish(
                settle(chain.leafKey, continuing: chain.headerDigest), chain)
        }
        let header = try TokenHeader(token.header())
        let (verified, chain) = try judge(
            .token, under: header.chainKey, certificates: header.certificates
        ) { key throws(TrustFailure) in
            try settle(key, continuing: nil)
        }
        headers.insert(
            VerifiedChain(
                path: chain.path, leafKey: chain.leafKey,
                headerDigest: DigestPrefix(token.headerSegment)),
            for: token.headerSegment)
        return verified
    }

    /// Judges a chain on its own, as one that signs JWS, for looking at certificates without evidence.
    ///
    /// Nothing is remembered.
    ///
    /// - Throws: ``TrustFailure``.
    public func path(
        from leaf: Certificate, through others: [Certificate], at instant: Instant
    ) throws(TrustFailure) -> CertificatePath {
        let path = try PathBuilder(store: store, policy: .token).path(from: leaf, through: others)
        try path.requireValidity(at: instant)
        return path
    }

    /// Settles evidence under a known chain, or in the lane under one that is built now.
    private func judge<Payload>(
        _ policy: PathPolicy, under key: ArraySlice<UInt8>,
        certificates: () throws(TrustFailure) -> (leaf: Certificate, others: [Certificate]),
        settle: (PublicKey) throws(TrustFailure) -> Settled<Payload>
    ) throws(TrustFailure) -> (Verified<Payload>, VerifiedChain) {
        if let chain = chains.chain(for: key) {
            return (try Self.finish(settle(chain.leafKey), chain), chain)
        }
        return try lane.run { () throws(TrustFailure) in
            // Whoever held the place before may have brought the chain.
            if let chain = chains.chain(for: key) {
                return (try Self.finish(settle(chain.leafKey), chain), chain)
            }
            let (leaf, others) = try certificates()
            let leafKey = try leaf.publicKey(orVerdict: .badSignature)
            let settled = try settle(leafKey)
            let path = try PathBuilder(store: store, policy: policy).path(
                from: leaf, through: others)
            let chain = VerifiedChain(path: path, leafKey: leafKey)
            let verified = try Self.finish(settled, chain)
            chains.insert(chain, for: key)
            return (verified, chain)
        }
    }

    private static func finish<Payload>(
        _ settled: Settled<Payload>, _ chain: VerifiedChain
    ) throws(TrustFailure) -> Verified<Payload> {
        try chain.path.requireValidity(at: settled.dated.effectiveDate)
        return Verified(settled, path: chain.path)
    }
}
