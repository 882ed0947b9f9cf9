// SPDX-License-Identifier: Apache-2.0
public import CounterfoilCore
public import CounterfoilCrypto

/// Plays the signing side of the App Store under roots of its own.
///
/// What it signs has the shape of Apple's data in every part, and is worth something only to a
/// server whose configuration names its roots.
public struct Authority: Sendable {
    /// The chain that signs transactions, renewals and notifications.
    package let signedDataChain: SigningChain

    /// The chain that signs app receipts.
    package let receiptChain: SigningChain

    /// Signs receipts in the form of iOS 6; the root of receipts issued its intermediate.
    package let transactionReceiptChain: SigningChain

    package let signer: JWSSigner

    package init(
        signedDataChain: SigningChain, receiptChain: SigningChain,
        transactionReceiptChain: SigningChain
    ) {
        self.signedDataChain = signedDataChain
        self.receiptChain = receiptChain
        self.transactionReceiptChain = transactionReceiptChain
        signer = JWSSigner(signedDataChain)
    }

    /// Makes new keys and certificates, which takes about half a second.
    ///
    /// The leaves are valid from 400 days before the clock's moment to 760 days after it, the
    /// certificates above them from 1,200 days before to ten years after.
    ///
    /// - Throws: ``CryptoError`` if the library makes no keys.
    public init(clock: some WallClock, random: some RandomSource) throws(CryptoError) {
        let now = clock.now
        let receiptChain = try SigningChain.forReceipts(around: now, random: random)
        self.init(
            signedDataChain: try .forSignedData(around: now, random: random),
            receiptChain: receiptChain,
            transactionReceiptChain: try .forTransactionReceipts(
                under: receiptChain.root, around: now, random: random))
    }

    /// The roots in DER: the one of signed transactions, then the one of receipts.
    public var rootCertificates: [[UInt8]] {
        [signedDataChain.root.certificate, receiptChain.root.certificate]
    }

    /// The same roots as PEM text, each a file of its own.
    public var rootCertificatesPEM: [String] {
        rootCertificates.map { PEM.text($0, label: PEM.certificateLabel) }
    }

    /// Signs any payload as the App Store signs its own.
    public func sign(_ payload: JSONValue) throws(CryptoError) -> String {
        try signer.sign(payload.utf8)
    }

    /// Signs a purchase as a transaction (JWSTransaction).
    public func signedTransaction(_ purchase: SimulatedPurchase) throws(CryptoError) -> String {
        try sign(purchase.transactionPayload)
    }

    /// Signs an app receipt; the bytes, which clients send in base64.
    public func appReceipt(
        _ receipt: SimulatedReceipt, form: SimulatedReceipt.Form = .sha256
    ) throws(CryptoError) -> [UInt8] {
        try receiptContainer(receipt, form: form).encoded()
    }

    /// Signs a purchase as a receipt in the form of iOS 6; the bytes, which clients send in base64.
    ///
    /// Who verifies it trusts ``transactionReceiptAuthorityCertificate`` directly, as receipts of
    /// this form do not carry it.
    public func transactionReceipt(_ purchase: SimulatedPurchase) throws(CryptoError) -> [UInt8] {
        try TransactionReceipt(purchase).encoded(signer: transactionReceiptChain.leaf)
    }

    /// The certificate in DER that issued the signer of ``transactionReceipt(_:)``.
    public var transactionReceiptAuthorityCertificate: [UInt8] {
        transactionReceiptChain.intermediate.certificate
    }

    /// The container of a receipt before it is signed, to be made wrong.
    package func receiptContainer(
        _ receipt: SimulatedReceipt, form: SimulatedReceipt.Form = .sha256
    ) -> SignedDataContainer {
        var signer = SignedDataContainer.Signer(receiptChain.leaf)
        var container = SignedDataContainer(
            payload: ReceiptAttribute.encoded(receipt.attributes, isSorted: form != .xcode),
            signers: [], certificates: receiptChain.certificates)
        switch form {
        case .sha256: break
        case .sha1: signer.digest = .sha1
        case .signedAttributes: signer.signedAttributesTime = receipt.creationDate
        case .xcode:
            signer.signatureAlgorithm = KnownIdentifiers.sha256WithRSA
            container.form = .indefinite(pieceByteCount: 256)
        }
        container.signers = [signer]
        return container
    }
}
