// SPDX-License-Identifier: Apache-2.0

/// Which authorities are believed, and which signers are not although an authority vouches for them.
public struct TrustStore: Sendable {
    /// Where paths may end; several may have the same name.
    public let anchors: [TrustAnchor]

    /// Serial numbers of signers that are refused, without leading zeros.
    private let deniedSerialNumbers: Set<ArraySlice<UInt8>>

    /// Makes a store.
    ///
    /// - Parameter deniedSerialNumbers: The octets of serial numbers. They are refused under every
    ///   issuer: what is refused by mistake is kept and can be judged again, what is believed by
    ///   mistake gives goods away.
    public init(anchors: [TrustAnchor], deniedSerialNumbers: some Sequence<[UInt8]> = []) {
        self.anchors = anchors
        self.deniedSerialNumbers = Set(deniedSerialNumbers.map { Self.significant($0[...]) })
    }

    /// Apple's three roots.
    public static let apple = TrustStore(anchors: [
        .appleRootCA, .appleRootCAG2, .appleRootCAG3,
    ])

    /// The authority of iOS 6 receipts; kept apart, since it vouches for nothing else.
    public static let appleTransactionReceipts = TrustStore(anchors: [.iTunesStoreCA2009])

    /// Whether an anchor has a key of one of Apple's authorities, under whatever name.
    public static func isOfApple(_ anchor: TrustAnchor) -> Bool {
        (apple.anchors + appleTransactionReceipts.anchors).contains { $0.key == anchor.key }
    }

    /// The same anchors with these signers refused as well.
    public func denying(serialNumbers: some Sequence<[UInt8]>) -> TrustStore {
        TrustStore(
            anchors: anchors,
            deniedSerialNumbers: deniedSerialNumbers.map(Array.init) + serialNumbers)
    }

    /// Whether the operator refuses this signer.
    func denies(_ leaf: Certificate) -> Bool {
        deniedSerialNumbers.contains(Self.significant(leaf.serialNumber))
    }

    private static func significant(_ serialNumber: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        serialNumber.drop { $0 == 0 }
    }
}
