// SPDX-License-Identifier: Apache-2.0
import CounterfoilApple
import CounterfoilCore
import CounterfoilCrypto

/// A receipt in the form of iOS 6 that came back.
struct ReturnedTransactionReceipt {
    private let receipt: CounterfoilApple.TransactionReceipt

    /// Nil for anything that is no such receipt.
    init?(_ bytes: [UInt8]) {
        guard let receipt = CounterfoilApple.TransactionReceipt(bytes) else { return nil }
        self.receipt = receipt
    }

    private func outer(_ key: String) -> String? {
        receipt.outer.first { $0.key == key }?.value
    }

    var isSandbox: Bool { outer("environment") == "Sandbox" }

    var transactionID: String? {
        receipt.purchase.first { $0.key == "transaction-id" }?.value
    }

    /// Whether version and purchase were signed by this key, whose certificate stands behind them.
    func isSigned(by identity: SigningIdentity) -> Bool {
        guard let text = outer("signature"), let blob = Base64.decode(text.utf8, .standard),
            let info = outer("purchase-info"),
            let content = Base64.decode(info.utf8, .standard), let version = blob.first
        else { return false }
        let certificate = identity.certificate
        // Version, signature, four bytes of length, certificate.
        let signatureCount = blob.count - certificate.count - 5
        guard signatureCount > 0, Array(blob.suffix(certificate.count)) == certificate else {
            return false
        }
        return identity.key.publicKey.isValidSignature(
            blob[1...signatureCount], of: [version] + content, algorithm: .sha1)
    }
}
