// SPDX-License-Identifier: Apache-2.0
public import CounterfoilCore
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

    /// Saves the certificates and keys that a rotation made, beside the older ones, which stay.
    ///
    /// - Parameter folder: Holds the authority before the rotation. Of a crash in the middle nothing
    ///   is left but a chain that was not replaced yet.
    /// - Throws: ``AuthorityError``.
    public func saveRotation(to folder: String) throws(AuthorityError) {
        try signedDataChain.saveRotation(to: "\(folder)/\(Self.folderNames.signedData)")
        try receiptChain.saveRotation(to: "\(folder)/\(Self.folderNames.receipts)")
    }

    /// The authority in a folder, which is made and saved where the folder is absent or empty.
    ///
    /// - Throws: ``AuthorityError``.
    public static func kept(
        in folder: String, clock: some WallClock, random: some RandomSource
    ) throws(AuthorityError) -> Authority {
        guard !PrivateFile.exists("\(folder)/\(folderNames.signedData)") else {
            return try Authority(folder: folder)
        }
        let authority: Authority
        do {
            authority = try Authority(clock: clock, random: random)
        } catch {
            throw AuthorityError(code: .keys, message: error.message)
        }
        try authority.save(to: folder)
        return authority
    }

    /// Loads what ``save(to:)`` wrote, with the newest of its rotations.
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
        try saveSigner(to: folder)
    }

    /// Writes the signer into a folder that gets its name, one number above the newest, at the end.
    fileprivate func saveRotation(to folder: String) throws(AuthorityError) {
        let unfinished = "\(folder)/unfinished"
        try PrivateFile.removeFolder(unfinished, with: Self.signerFileNames)
        try PrivateFile.makeFolder(unfinished)
        try saveSigner(to: unfinished)
        let number = Self.rotationCount(in: folder) + 1
        try PrivateFile.rename(unfinished, to: "\(folder)/rotation-\(number)")
    }

    private static let signerFileNames = ["intermediate.pem", "leaf.pem"]

    private func saveSigner(to folder: String) throws(AuthorityError) {
        for (name, identity) in zip(Self.signerFileNames, [intermediate, leaf]) {
            try identity.save(to: "\(folder)/\(name)")
        }
    }

    /// How often the chain was rotated; the folders are numbered from 1 without gaps.
    private static func rotationCount(in folder: String) -> Int {
        var count = 0
        while PrivateFile.exists("\(folder)/rotation-\(count + 1)") { count += 1 }
        return count
    }

    fileprivate init(folder: String) throws(AuthorityError) {
        let number = Self.rotationCount(in: folder)
        let signer = number == 0 ? folder : "\(folder)/rotation-\(number)"
        self.init(
            leaf: try SigningIdentity(file: "\(signer)/leaf.pem"),
            intermediate: try SigningIdentity(file: "\(signer)/intermediate.pem"),
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
