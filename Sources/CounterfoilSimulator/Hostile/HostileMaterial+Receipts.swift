// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
package import CounterfoilCrypto

extension HostileMaterial {
    /// App receipts and what pretends to be one.
    package func receipts() throws(CryptoError) -> [HostileCase] {
        try genuineReceipts() + containers() + signers() + forgedReceiptChains()
            + receiptPayloads() + bytesOfAnything()
    }

    private var receipt: SimulatedReceipt {
        SimulatedReceipt(
            bundleID: purchase.bundleID, environment: purchase.environment, creationDate: now,
            purchases: [purchase])
    }

    private func genuineReceipts() throws(CryptoError) -> [HostileCase] {
        var list: [HostileCase] = []
        for form in SimulatedReceipt.Form.allCases {
            list.append(
                HostileCase(
                    "genuine-\(form)", "a receipt as it should be", verdict: "trusted",
                    evidence: try authority.appReceipt(receipt, form: form)))
        }
        let certificates = authority.receiptChain.certificates
        list += try [
            changed("certificates-reordered", "the leaf comes last", verdict: "trusted") {
                $0.certificates = certificates.reversed()
            },
            changed("root-not-embedded", "leaf and intermediate only", verdict: "trusted") {
                $0.certificates = Array(certificates.dropLast())
            },
            changed("stranger-embedded", "a certificate more, of no use", verdict: "trusted") {
                $0.certificates = [authority.signedDataChain.leaf.certificate] + certificates
            },
        ]
        return list
    }

    private func containers() throws(CryptoError) -> [HostileCase] {
        let other = ReceiptAttribute.encoded(
            SimulatedReceipt(
                bundleID: purchase.bundleID, environment: purchase.environment, creationDate: now,
                purchases: [otherPurchase]
            ).attributes)
        let good = try authority.appReceipt(receipt)
        var flipped = good
        flipped[flipped.count - 20] ^= 1
        return try [
            changed(
                "payload-swapped", "the payload of another receipt", verdict: "bad-signature"
            ) {
                $0.signedPayload = $0.payload
                $0.payload = other
            },
            changed(
                "payload-swapped-attributes", "the same with signed attributes",
                verdict: "bad-signature", form: .signedAttributes
            ) {
                $0.signedPayload = $0.payload
                $0.payload = other
            },
            HostileCase(
                "signature-flipped", "one bit of the signature changed",
                verdict: "bad-signature", evidence: flipped),
            changed("bytes-behind", "two bytes behind it", verdict: "trailing-bytes") {
                $0.trailingBytes = [0, 0]
            },
            changed("receipt-behind", "a second receipt behind it", verdict: "trailing-bytes") {
                $0.trailingBytes = good
            },
            HostileCase(
                "cut-short", "the last byte is missing", verdict: "malformed",
                evidence: good.dropLast()),
            HostileCase(
                "cut-in-half", "the second half is missing", verdict: "malformed",
                evidence: good.prefix(good.count / 2)),
            changed(
                "cut-xcode", "indefinite lengths without an end", verdict: "malformed",
                form: .xcode, cutting: 2
            ) { _ in },
            changed("other-content", "content that is not data", verdict: "malformed") {
                $0.contentType = KnownIdentifiers.signedData
            },
        ]
    }

    private func signers() throws(CryptoError) -> [HostileCase] {
        let attribute = CertificateProfile.leaf("Simulated Stranger", around: now)
        let stranger = try authority.receiptChain.intermediate.issue(
            attribute, key: authority.receiptChain.leaf.key, random: random)
        return try [
            changed("no-signer", "no signature at all", verdict: "no-signer") { $0.signers = [] },
            changed("two-signers", "two signatures", verdict: "malformed") {
                $0.signers += $0.signers
            },
            changed(
                "no-certificates", "no certificate", verdict: "signer-certificate-missing"
            ) { $0.certificates = [] },
            changed(
                "signer-not-embedded", "every certificate but the signer's",
                verdict: "signer-certificate-missing"
            ) { $0.certificates.removeFirst() },
            changed(
                "signer-of-other-serial", "a signer with another serial number than the leaf",
                verdict: "signer-certificate-missing"
            ) { $0.signers = [.init(stranger)] },
            changed("digest-sha512", "a hash function of no receipt", verdict: "malformed") {
                $0.signers = [.init(authority.receiptChain.leaf, digest: .sha512)]
            },
        ]
    }

    private func forgedReceiptChains() throws(CryptoError) -> [HostileCase] {
        let forger = try ChainForger(
            authority.receiptChain, around: now, random: random, authorityKey: .rsa(bits: 2048),
            leafKey: .rsa(bits: 2048))
        var list: [HostileCase] = []
        for forgery in try forger.forgeries() {
            list.append(
                try changed(forgery.name, forgery.reason, verdict: forgery.verdict) {
                    $0.signers = [.init(forgery.chain.leaf)]
                    $0.certificates = forgery.chain.certificates
                })
        }
        return list
    }

    private func receiptPayloads() throws(CryptoError) -> [HostileCase] {
        var list: [HostileCase] = []
        func add(
            _ name: String, _ reason: String, verdict: String = "malformed-payload",
            _ payload: [UInt8]
        ) throws(CryptoError) {
            list.append(try changed(name, reason, verdict: verdict) { $0.payload = payload })
        }
        func payload(_ change: (inout SimulatedReceipt) -> Void) -> [UInt8] {
            var receipt = receipt
            change(&receipt)
            return ReceiptAttribute.encoded(receipt.attributes)
        }
        try add(
            "other-bundle", "another app's receipt, truly signed", verdict: "other-bundle",
            payload { $0.bundleID += ".other" })
        try add(
            "other-environment", "the other environment's receipt, truly signed",
            verdict: "other-environment",
            payload {
                $0.receiptType =
                    purchase.environment == .sandbox ? "Production" : "ProductionSandbox"
            })
        try add(
            "dated-in-future", "made in two days", verdict: "dated-in-future",
            payload { $0.creationDate = now + CertificateProfile.days(2) })
        try add(
            "no-creation-date", "a receipt without the date it was made",
            payload { $0.creationDate = nil })
        try add(
            "bundle-twice", "a receipt of two apps",
            payload {
                $0.additionalAttributes = [.utf8(2, purchase.bundleID + ".other")]
            })
        try add("payload-empty", "truly signed nothing", [])
        try add("payload-junk", "truly signed junk", [UInt8](repeating: 0xFF, count: 64))
        try add(
            "payload-wrapped", "the set inside one more octet string",
            DER.octetString(payload { _ in }))
        try add("payload-behind", "a byte behind the set", payload { _ in } + [0])
        try add("payload-bomb", "20,000 truly signed values inside each other", Self.nestingBomb())
        try add("payload-overrun", "a set that claims two gigabytes", Self.lengthOverrun)
        return list
    }

    private func bytesOfAnything() -> [HostileCase] {
        let things: [(String, String, [UInt8])] = [
            ("empty", "nothing at all", []),
            ("not-pkcs7", "something else", Array("{\"signature\" = \"x\";}".utf8)),
            ("nesting-bomb", "20,000 values inside each other", Self.nestingBomb()),
            ("endless-nesting", "20,000 values that never end", Self.endlessNesting()),
            ("length-overrun", "a value that claims two gigabytes", Self.lengthOverrun),
            (
                "length-of-length", "a length of 126 bytes",
                [DER.sequenceTag, 0xFE] + [UInt8](repeating: 0xFF, count: 126)
            ),
            ("certificate", "the signer's certificate", authority.receiptChain.leaf.certificate),
        ]
        return things.map { HostileCase($0.0, $0.1, verdict: "malformed", evidence: $0.2) }
    }

    /// The genuine receipt after a change to its container, of which the last bytes may be cut.
    private func changed(
        _ name: String, _ reason: String, verdict: String,
        form: SimulatedReceipt.Form = .sha256, cutting count: Int = 0,
        _ change: (inout SignedDataContainer) -> Void
    ) throws(CryptoError) -> HostileCase {
        var container = authority.receiptContainer(receipt, form: form)
        change(&container)
        return HostileCase(
            name, reason, verdict: verdict, evidence: try container.encoded().dropLast(count))
    }
}
