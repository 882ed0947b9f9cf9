// SPDX-License-Identifier: Apache-2.0

/// Which authorities are believed, and which signers are not although an authority vouches for them.
public struct TrustStore: Sendable {
    /// A signer's certificate by what identifies it (RFC 5280 § 4.1.2.2).
    public struct DeniedLeaf: Hashable, Sendable {
        /// The DER of the issuer's name.
        public let issuer: ArraySlice<UInt8>

        /// The octets of the serial number.
        public let serialNumber: ArraySlice<UInt8>

        /// Denies the certificate with that issuer and serial number.
        public init(issuer: some Collection<UInt8>, serialNumber: some Collection<UInt8>) {
            self.issuer = Array(issuer)[...]
            self.serialNumber = Array(serialNumber)[...]
        }

        /// Denies this certificate.
        public init(_ certificate: Certificate) {
            issuer = certificate.issuer.der
            serialNumber = certificate.serialNumber
        }
    }

    /// Where paths may end; several may have the same name.
    public let anchors: [TrustAnchor]

    /// Signers that are refused.
    public let deniedLeaves: Set<DeniedLeaf>

    /// Makes a store.
    public init(anchors: [TrustAnchor], deniedLeaves: Set<DeniedLeaf> = []) {
        self.anchors = anchors
        self.deniedLeaves = deniedLeaves
    }

    /// Apple's three roots.
    public static let apple = TrustStore(anchors: [
        .appleRootCA, .appleRootCAG2, .appleRootCAG3,
    ])

    /// The authority of iOS 6 receipts; kept apart, since it vouches for nothing else.
    public static let appleTransactionReceipts = TrustStore(anchors: [.iTunesStoreCA2009])

    /// The same anchors with these signers refused as well.
    public func denying(_ leaves: Set<DeniedLeaf>) -> TrustStore {
        TrustStore(anchors: anchors, deniedLeaves: deniedLeaves.union(leaves))
    }
}
