// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
package import CounterfoilCrypto

extension HostileMaterial {
    private var chain: SigningChain { authority.signedDataChain }

    /// Tokens: signed transactions and what pretends to be one.
    package func signedData() throws(CryptoError) -> [HostileCase] {
        try alteredTokens() + oddEncodings() + headers() + certificateLists() + forgedChains()
            + payloads()
    }

    private func alteredTokens() throws(CryptoError) -> [HostileCase] {
        let payload = purchase.transactionPayload.utf8
        let token = try authority.signer.sign(payload)
        let parts = token.split(separator: ".").map(String.init)
        let signed = parts[0] + "." + parts[1]
        var flipped = Base64.decode(parts[2].utf8, .url) ?? []
        flipped[10] ^= 1
        let encoded = try chain.leaf.key.signature(of: signed.utf8, algorithm: .sha256)
        let other = Base64.encode(otherPurchase.transactionPayload.utf8, .url)
        func altered(
            _ name: String, _ reason: String, verdict: String = "bad-signature", _ text: String
        ) -> HostileCase {
            HostileCase(name, reason, verdict: verdict, evidence: text.utf8)
        }
        func signature(_ bytes: [UInt8]) -> String { signed + "." + Base64.encode(bytes, .url) }
        return [
            altered("signature-flipped", "one bit of the signature changed", signature(flipped)),
            altered(
                "payload-swapped", "the payload of another purchase under this signature",
                "\(parts[0]).\(other).\(parts[2])"),
            altered("signature-empty", "no signature", signed + "."),
            altered(
                "signature-zero", "r and s are zero", signature([UInt8](repeating: 0, count: 64))),
            altered("signature-der", "the signature as an ASN.1 structure", signature(encoded)),
            altered(
                "signature-long", "a byte behind the signature",
                signature((Base64.decode(parts[2].utf8, .url) ?? []) + [0])),
            altered("two-parts", "only two parts", verdict: "malformed", signed),
            altered(
                "four-parts", "a fourth part", verdict: "malformed", token + "." + parts[2]),
            altered("empty", "nothing at all", verdict: "malformed", ""),
            altered("dots", "three empty parts", verdict: "malformed", ".."),
        ]
    }

    /// Truly signed, over a payload that is not in the one form of base64 that the format allows.
    private func oddEncodings() throws(CryptoError) -> [HostileCase] {
        let parts = unsigned(JWSSigner.header(certificates: chain.certificates).utf8)
            .split(separator: ".")
        let forms: [(name: String, reason: String, payload: String)] = [
            ("padded", "padding behind the payload", "\(parts[1])="),
            (
                "line-break", "a line break inside the payload",
                "\(parts[1].prefix(40))\n\(parts[1].dropFirst(40))"
            ),
            ("non-ascii", "a letter of no alphabet in the payload", "\(parts[1])é"),
        ]
        var cases: [HostileCase] = []
        for form in forms {
            let text = "\(parts[0]).\(form.payload)"
            let signature = try chain.leaf.key.rawSignature(of: text.utf8)
            cases.append(
                HostileCase(
                    form.name, form.reason, verdict: "malformed",
                    evidence: "\(text).\(Base64.encode(signature, .url))".utf8))
        }
        return cases
    }

    private func headers() throws(CryptoError) -> [HostileCase] {
        let certificates = chain.certificates
        var list: [HostileCase] = []
        func add(
            _ name: String, _ reason: String, verdict: String = "malformed", _ header: JSONValue,
            signature: [UInt8]? = nil
        ) throws(CryptoError) {
            list.append(
                HostileCase(
                    name, reason, verdict: verdict,
                    evidence: try token(header.utf8, signature: signature).utf8))
        }
        func header(
            _ algorithm: String, additional: [JSONObject.Member] = []
        ) -> JSONValue {
            JWSSigner.header(
                algorithm: algorithm, certificates: certificates, additional: additional)
        }
        try add("alg-none", "alg none without a signature", header("none"), signature: [])
        try add(
            "alg-es384", "a good signature under the name of another algorithm", header("ES384"))
        try add("alg-lower-case", "alg es256", header("es256"))
        let text = unsigned(header("HS256").utf8)
        try add(
            "alg-hs256", "a code keyed with the public key", header("HS256"),
            signature: MessageAuthentication.hmacSHA256(
                key: chain.leaf.key.publicKey.subjectPublicKeyInfo, message: text.utf8))
        let x5c = JWSSigner.header(certificates: certificates)["x5c"] ?? .null
        try add(
            "no-alg", "a header without alg", .object(JSONObject([.init(key: "x5c", value: x5c)])))
        try add(
            "alg-twice", "a header that says alg twice",
            .object(
                JSONObject([
                    .init(key: "alg", value: "none"), .init(key: "alg", value: "ES256"),
                    .init(key: "x5c", value: x5c),
                ])))
        try add(
            "crit-unknown", "a critical extension that nobody knows",
            header(
                "ES256",
                additional: [
                    .init(key: "crit", value: ["x-unknown"]), .init(key: "x-unknown", value: 1),
                ]))
        try add(
            "no-x5c", "a header without certificates", verdict: "signer-certificate-missing",
            ["alg": "ES256"])
        try add("header-array", "a header that is a list", ["ES256"])
        list.append(
            HostileCase(
                "header-bomb", "a header of 20,000 lists inside each other", verdict: "malformed",
                evidence: try token([UInt8](repeating: UInt8(ascii: "["), count: 20_000)).utf8))
        return list
    }

    private func certificateLists() throws(CryptoError) -> [HostileCase] {
        let (leaf, intermediate, root) = (
            chain.leaf.certificate, chain.intermediate.certificate, chain.root.certificate
        )
        let lists: [(name: String, reason: String, verdict: String, certificates: [[UInt8]])] = [
            ("chain-of-none", "an empty x5c", "untrusted-root", []),
            ("chain-of-one", "x5c with the leaf only", "untrusted-root", [leaf]),
            ("chain-of-two", "x5c without the root", "untrusted-root", [leaf, intermediate]),
            (
                "chain-of-four", "x5c with a fourth certificate", "untrusted-root",
                [leaf, intermediate, root, root]
            ),
            (
                "chain-of-thousand", "x5c with 1,000 certificates", "malformed",
                [leaf] + [[UInt8]](repeating: intermediate, count: 998) + [root]
            ),
            ("swapped-order", "x5c upside down", "untrusted-root", [root, intermediate, leaf]),
            (
                "x5c-junk", "x5c with bytes that are no certificate", "malformed",
                [[0, 0, 0], [0, 0, 0], [0, 0, 0]]
            ),
            (
                "x5c-bomb", "a certificate of 20,000 values inside each other", "malformed",
                [Self.nestingBomb(), intermediate, root]
            ),
            (
                "x5c-overrun", "a certificate that claims two gigabytes", "malformed",
                [Self.lengthOverrun, intermediate, root]
            ),
            (
                "x5c-trailing", "a byte behind the leaf", "malformed",
                [leaf + [0], intermediate, root]
            ),
        ]
        var cases: [HostileCase] = []
        for list in lists {
            let header = JWSSigner.header(certificates: list.certificates)
            cases.append(
                HostileCase(
                    list.name, list.reason, verdict: list.verdict,
                    evidence: try token(header.utf8).utf8))
        }
        return cases
    }

    private func forgedChains() throws(CryptoError) -> [HostileCase] {
        let forger = try ChainForger(
            chain, around: now, random: random, authorityKey: .ec(.p384), leafKey: .ec(.p256))
        var cases: [HostileCase] = []
        for forgery in try forger.forgeries() {
            let signer = JWSSigner(
                key: forgery.chain.leaf.key,
                header: JWSSigner.header(certificates: forgery.chain.certificates))
            cases.append(
                HostileCase(
                    forgery.name, forgery.reason, verdict: forgery.verdict,
                    evidence: try signer.sign(purchase.transactionPayload.utf8).utf8))
        }
        let wide = try chain.intermediate.issue(
            .leaf(
                "Simulated Receipt Signing", around: now,
                markers: [KnownIdentifiers.receiptSigningMarker]),
            key: .generate(.ec(.p384)), random: random)
        let signer = JWSSigner(
            key: wide.key,
            header: JWSSigner.header(
                certificates: [wide.certificate] + chain.certificates.dropFirst()))
        cases.append(
            HostileCase(
                "leaf-p384", "a leaf with a P-384 key under alg ES256", verdict: "bad-signature",
                evidence: try signer.sign(purchase.transactionPayload.utf8).utf8))
        return cases
    }

    private func payloads() throws(CryptoError) -> [HostileCase] {
        var list: [HostileCase] = []
        func add(
            _ name: String, _ reason: String, verdict: String, _ payload: [UInt8]
        ) throws(CryptoError) {
            list.append(
                HostileCase(
                    name, reason, verdict: verdict,
                    evidence: try authority.signer.sign(payload).utf8))
        }
        func changed(_ change: (inout SimulatedPurchase) -> Void) -> [UInt8] {
            var purchase = purchase
            change(&purchase)
            return purchase.transactionPayload.utf8
        }
        try add("genuine", "a purchase as it should be", verdict: "trusted", changed { _ in })
        try add(
            "other-bundle", "another app's purchase, truly signed", verdict: "other-bundle",
            changed { $0.bundleID += ".other" })
        try add(
            "other-environment", "the other environment's purchase, truly signed",
            verdict: "other-environment", changed { $0.environment = otherEnvironment })
        try add(
            "dated-in-future", "signed in two days", verdict: "dated-in-future",
            changed { $0.signedDate = now + CertificateProfile.days(2) })
        try add(
            "payload-not-json", "truly signed bytes that are not JSON",
            verdict: "malformed-payload", [0xFF, 0xFE, UInt8(ascii: "{")])
        try add(
            "payload-list", "a truly signed list", verdict: "malformed-payload", Array("[]".utf8))
        try add(
            "payload-bomb", "20,000 truly signed lists inside each other",
            verdict: "malformed-payload", [UInt8](repeating: UInt8(ascii: "["), count: 20_000))
        try add(
            "no-signed-date", "a purchase without the date of signing",
            verdict: "malformed-payload",
            JSONValue.object(
                JSONObject(
                    purchase.transactionPayload.object?.members
                        .filter { $0.key != "signedDate" } ?? [])
            ).utf8)
        return list
    }

    private func unsigned(_ header: [UInt8]) -> String {
        Base64.encode(header, .url) + "."
            + Base64.encode(purchase.transactionPayload.utf8, .url)
    }

    /// A token under any header, signed by the genuine leaf unless another signature is given.
    private func token(
        _ header: [UInt8], signature: [UInt8]? = nil
    ) throws(CryptoError) -> String {
        let text = unsigned(header)
        let bytes: [UInt8]
        if let signature {
            bytes = signature
        } else {
            bytes = try chain.leaf.key.rawSignature(of: text.utf8)
        }
        return text + "." + Base64.encode(bytes, .url)
    }
}
