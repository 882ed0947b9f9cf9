// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
package import CounterfoilCrypto

/// A receipt in the form of iOS 6: one purchase in a dictionary of OpenStep's, signed with SHA-1.
///
/// The signature does not cover what stands outside `purchaseInfo`, as with the real ones.
package struct TransactionReceipt: Sendable {
    /// A key and its text, in the order to be written.
    package typealias Entries = [(key: String, value: String)]

    /// What is signed.
    package var purchaseInfo: Entries

    /// What stands beside the signature: environment, pod and signing status.
    package var outer: Entries

    private static let version: UInt8 = 2

    /// The receipt of a purchase as the App Store wrote it in 2012.
    package init(_ purchase: SimulatedPurchase) {
        purchaseInfo =
            Self.dates("original-purchase-date", purchase.originalPurchaseDate)
            + Self.dates("purchase-date", purchase.purchaseDate)
            + [
                ("original-transaction-id", purchase.originalTransactionID),
                ("transaction-id", purchase.transactionID),
                ("bvrs", "1"),
                ("quantity", String(purchase.quantity)),
                ("product-id", purchase.productID),
                ("item-id", "500000001"),
                ("bid", purchase.bundleID),
            ]
        if let expires = purchase.expiresDate {
            // Milliseconds in spite of the name, as the App Store writes them.
            purchaseInfo.append(("expires-date", String(expires.millisecondsSinceEpoch)))
        }
        outer = [("signing-status", "0")]
        if purchase.environment == .sandbox {
            outer += [("environment", "Sandbox"), ("pod", "100")]
        } else {
            outer.append(("pod", "17"))
        }
    }

    /// The whole text signed by the identity; clients send it in base64.
    package func encoded(signer: SigningIdentity) throws(CryptoError) -> [UInt8] {
        let content = Array(Self.text(purchaseInfo).utf8)
        let signature = try signer.key.signature(
            of: [Self.version] + content, algorithm: .sha1)
        let length = UInt32(signer.certificate.count)
        let blob =
            [Self.version] + signature
            + (0..<4).map { UInt8(truncatingIfNeeded: length >> (24 - 8 * $0)) }
            + signer.certificate
        let whole: Entries =
            [
                ("signature", Base64.encode(blob, .standard)),
                ("purchase-info", Base64.encode(content, .standard)),
            ] + outer
        return Array(Self.text(whole).utf8)
    }

    private static func text(_ entries: Entries) -> String {
        "{\n" + entries.map { "\t\"\($0.key)\" = \"\($0.value)\";\n" }.joined() + "}"
    }

    private static func dates(_ key: String, _ instant: Instant) -> Entries {
        let date = AppleDateText(instant: instant)
        return [
            ("\(key)-ms", date.milliseconds), (key, date.gmt), ("\(key)-pst", date.pacific),
        ]
    }
}
