// SPDX-License-Identifier: Apache-2.0
import CounterfoilApple
import CounterfoilCore
import CounterfoilCrypto
import CounterfoilSimulator
import CounterfoilTrust

/// Row 14.1: signed transactions.
struct TokenCases {
    /// So many different tokens, so that no cache of a processor makes one of them cheap.
    private static let tokenCount = 512

    private let tokens: [[UInt8]]
    private let now: Instant
    private let store: TrustStore
    private let key: PrivateKey

    init(_ material: Material) throws {
        tokens = try (0..<Self.tokenCount).map { index in
            Array(try material.authority.signedTransaction(material.purchase(index)).utf8)
        }
        now = material.now
        store = material.store
        key = material.authority.signedDataChain.leaf.key
    }

    func cases() throws -> [Case] {
        let yardstick = try Work.p256Verification(by: key)
        let cached = verification(
            "JWS transaction, chain cached", by: EvidenceVerifier(trusting: store))
        return [
            Case(row: "14.1", work: cached, yardstick: yardstick, goal: 0.85),
            Case(
                row: "14.1", work: cached, yardstick: yardstick, threads: 2, goal: 0.85 * 0.9),
            Case(row: "14.1 part", work: signatureAlone(), yardstick: yardstick),
            Case(row: "14.1 part", work: decodingAlone(), yardstick: yardstick),
            Case(row: "14.1 cold", work: uncached(), yardstick: yardstick),
        ]
    }

    private func verification(_ name: String, by verifier: EvidenceVerifier) -> Work {
        Work(name: name) { [tokens, now] count, thread in
            for index in 0..<count {
                let token = tokens[(index + thread * 7) % tokens.count]
                try Self.verify(token, by: verifier, at: now)
            }
        }
    }

    /// A new verifier knows no chain, so each token pays for its path.
    private func uncached() -> Work {
        Work(name: "JWS transaction, chain unknown") { [tokens, store, now] count, thread in
            for index in 0..<count {
                let token = tokens[(index + thread * 7) % tokens.count]
                try Self.verify(token, by: EvidenceVerifier(trusting: store), at: now)
            }
        }
    }

    private static func verify(
        _ token: [UInt8], by verifier: EvidenceVerifier, at now: Instant
    ) throws {
        let evidence = try verifier.verify(Evidence(token), at: now)
        guard case .transaction(let verified) = evidence, verified.payload.quantity == 1 else {
            throw Unexpected()
        }
    }

    private func signatureAlone() -> Work {
        let signed = tokens.map { token in
            let end = token.lastIndex(of: UInt8(ascii: ".")) ?? 0
            return (token[..<end], Base64.decode(token[(end + 1)...], .url) ?? [])
        }
        return Work(name: "ES256 signature of the token alone") { [key] count, _ in
            for index in 0..<count {
                let (text, signature) = signed[index % signed.count]
                precondition(key.publicKey.isValidRawSignature(signature, of: text), "a signature")
            }
        }
    }

    private func decodingAlone() -> Work {
        Work(name: "payload decoded alone") { [tokens] count, _ in
            for index in 0..<count {
                let token = try CompactJWS(tokens[index % tokens.count][...])
                let transaction = try JWSTransaction(fields: token.payload())
                precondition(transaction.quantity == 1, "the wrong transaction")
            }
        }
    }
}
