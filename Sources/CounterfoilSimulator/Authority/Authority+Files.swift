// SPDX-License-Identifier: Apache-2.0
import CounterfoilCrypto
import CounterfoilTrust

extension Authority {
    /// Where ``rootCertificates`` stand in a saved authority's folder, for a server's
    /// configuration to name; anybody may read these files.
    public static let rootFileNames = ["signed-data-root.pem", "receipts-root.pem"]

    private static let folderNames = (
        signedData: "signed-data", receipts: "receipts", transactionReceipts: "transaction-receipts"
    )

    /// Saves keys and certificates to a folder, which is made where it is absent.
    ///
    /// Files with keys get mode 0600. A folder is written once: whoever repeats this gets
    /// `authority.exists` and has changed nothing.
    ///
    /// - Throws: ``AuthorityError``.
    public func save(to folder: String) throws(AuthorityError) {
        try PrivateFile.makeFolder(folder)
        for (name, text) in zip(Self.rootFileNames, rootCertificatesPEM) {
            try PrivateFile.create("\(folder)/\(name)", text, mode: 0o644)
        }
        try signedDataChain.save(to: "\(folder)/\(Self.folderNames.signedData)")
        try receiptChain.save(to: "\(folder)/\(Self.folderNames.receipts)")
        try transactionReceiptChain.save(
            to: "\(folder)/\(Self.folderNames.transactionReceipts)")
    }

    /// Loads what ``save(to:)`` wrote.
    ///
    /// - Throws: ``AuthorityError``, also where others than their owner may read the keys.
    public init(folder: String) throws(AuthorityError) {
        self.init(
            signedDataChain: try SigningChain(folder: "\(folder)/\(Self.folderNames.signedData)"),
            receiptChain: try SigningChain(folder: "\(folder)/\(Self.folderNames.receipts)"),
            transactionReceiptChain: try SigningChain(
                folder: "\(folder)/\(Self.folderNames.transactionReceipts)"))
    }
}

extension SigningChain {
    fileprivate func save(to folder: String) throws(AuthorityError) {
        try PrivateFile.makeFolder(folder)
        try root.save(to: "\(folder)/root.pem")
        try intermediate.save(to: "\(folder)/intermediate.pem")
        try leaf.save(to: "\(folder)/leaf.pem")
    }

    fileprivate init(folder: String) throws(AuthorityError) {
        self.init(
            leaf: try SigningIdentity(file: "\(folder)/leaf.pem"),
            intermediate: try SigningIdentity(file: "\(folder)/intermediate.pem"),
            root: try SigningIdentity(file: "\(folder)/root.pem"))
    }
}

extension SigningIdentity {
    fileprivate func save(to path: String) throws(AuthorityError) {
        let keyText: String
        do {
            keyText = try key.pem()
        } catch {
            throw AuthorityError(code: .invalid, message: "\(path): \(error.message)")
        }
        try PrivateFile.create(
            path, PEM.text(certificate, label: PEM.certificateLabel) + keyText)
    }

    fileprivate init(file path: String) throws(AuthorityError) {
        let text = try PrivateFile.read(path)
        guard let bytes = PEM.firstBlock(labelled: PEM.certificateLabel, in: text) else {
            throw AuthorityError(code: .invalid, message: "\(path) holds no certificate")
        }
        let certificate: Certificate
        let key: PrivateKey
        do {
            certificate = try Certificate(der: bytes)
            key = try PrivateKey(pem: text)
        } catch {
            throw AuthorityError(code: .invalid, message: "\(path): \(error)")
        }
        guard certificate.subjectPublicKeyInfo.elementsEqual(key.publicKey.subjectPublicKeyInfo)
        else {
            throw AuthorityError(code: .invalid, message: "\(path): not the certificate's key")
        }
        self.init(
            certificate: bytes, key: key, subject: Array(certificate.subject.der),
            issuerAndSerialNumber: DER.sequence(
                Array(certificate.issuer.der),
                DER.value(DER.integerTag, Array(certificate.serialNumber))))
    }
}
