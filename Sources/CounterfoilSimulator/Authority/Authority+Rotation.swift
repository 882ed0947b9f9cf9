// SPDX-License-Identifier: Apache-2.0
public import CounterfoilCore
public import CounterfoilCrypto

extension Authority {
    /// Which certificates are replaced by new ones.
    public enum Rotation: String, Hashable, Sendable, CaseIterable {
        /// The signers alone, as Apple replaces its own every two years.
        case leaf

        /// The signers and the authorities above them, as Apple did in 2021.
        case intermediate
    }

    /// The authority after a rotation: new keys under the same roots and the same names.
    ///
    /// What was signed before stays valid, since the old certificates do. The signers of receipts in
    /// the form of iOS 6 stay as they are, as Apple's did.
    ///
    /// - Parameter clock: The new certificates are valid around its moment.
    public func rotated(
        _ rotation: Rotation, clock: some WallClock, random: some RandomSource
    ) throws(CryptoError) -> Authority {
        Authority(
            signedDataChain: try signedDataChain.rotated(
                rotation, around: clock.now, random: random),
            receiptChain: try receiptChain.rotated(rotation, around: clock.now, random: random),
            transactionReceiptChain: transactionReceiptChain)
    }

    /// The authority with certificates that have this fault, for one careful verifier to find.
    ///
    /// It must not be saved: it is the genuine one seen through a mistake. Receipts in the form of
    /// iOS 6 stay in order.
    ///
    /// - Parameter clock: The moment of signing, at which the genuine certificates must be valid.
    public func presenting(
        _ fault: ChainFault, clock: some WallClock, random: some RandomSource
    ) throws(CryptoError) -> Authority {
        func faulty(
            _ genuine: SigningChain, authorityKey: PrivateKey.Request, leafKey: PrivateKey.Request
        ) throws(CryptoError) -> SigningChain {
            let forger = try ChainForger(
                genuine, around: clock.now, random: random, authorityKey: authorityKey,
                leafKey: leafKey)
            return try forger.chain(with: fault)
        }
        return Authority(
            signedDataChain: try faulty(
                signedDataChain, authorityKey: .ec(.p384), leafKey: .ec(.p256)),
            receiptChain: try faulty(
                receiptChain, authorityKey: .rsa(bits: 2048), leafKey: .rsa(bits: 2048)),
            transactionReceiptChain: transactionReceiptChain)
    }
}

/// What can be wrong with certificates although every signature is good.
public enum ChainFault: String, Hashable, Sendable, CaseIterable {
    /// The signer's certificate ended before it signed.
    case leafExpired = "leaf-expired"

    /// The signer's certificate begins after it signed.
    case leafNotYetValid = "leaf-not-yet-valid"

    /// The signer's certificate lacks Apple's marker for signing purchases.
    case leafWithoutMarker = "leaf-without-marker"

    /// The certificate above the signer ended before the signer signed.
    case intermediateExpired = "intermediate-expired"

    /// The certificate above the signer lacks Apple's marker for developers.
    case intermediateWithoutMarker = "intermediate-without-marker"

    /// A whole chain with the same names under a root that nobody trusts.
    case otherRoot = "other-root"

    /// What a verifier must say, in the words of the receipt vectors.
    public var verdict: String {
        switch self {
        case .leafExpired, .leafNotYetValid, .intermediateExpired: ChainForger.time
        case .leafWithoutMarker, .intermediateWithoutMarker: ChainForger.purpose
        case .otherRoot: ChainForger.root
        }
    }
}

extension ChainForger {
    func chain(with fault: ChainFault) throws(CryptoError) -> SigningChain {
        guard let forgery = try forgeries().first(where: { $0.name == fault.rawValue }) else {
            preconditionFailure("no forgery is called \(fault.rawValue)")
        }
        return forgery.chain
    }
}

extension SigningChain {
    fileprivate func rotated(
        _ rotation: Authority.Rotation, around now: Instant, random: some RandomSource
    ) throws(CryptoError) -> SigningChain {
        var chain = self
        if rotation == .intermediate {
            var profile = CertificateProfile.authority(
                "", around: now, pathLength: 0,
                markers: [KnownIdentifiers.developerRelationsMarker])
            profile.subject = intermediate.subject
            chain.intermediate = try root.issue(
                profile, key: .generate(intermediate.keyRequest), random: random)
        }
        var profile = CertificateProfile.leaf(
            "", around: now, markers: [KnownIdentifiers.receiptSigningMarker])
        profile.subject = leaf.subject
        chain.leaf = try chain.intermediate.issue(
            profile, key: .generate(leaf.keyRequest), random: random)
        return chain
    }
}

extension SigningIdentity {
    /// How to make another key of the same kind.
    fileprivate var keyRequest: PrivateKey.Request {
        switch key.publicKey.kind {
        case .ec(let curve): .ec(curve)
        case .rsa(let bits): .rsa(bits: bits)
        case .other: preconditionFailure("an authority has keys of no other family")
        }
    }
}
