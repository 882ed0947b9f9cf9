// SPDX-License-Identifier: Apache-2.0
import CYardsticks
import CounterfoilCrypto

extension Work {
    /// The yardstick of signed data: one signature of the key over one digest, verified in C.
    static func p256Verification(by key: PrivateKey) throws -> Work {
        let digest = Digest.sha256("a token".utf8)
        let signature = try key.signature(ofDigest: digest, algorithm: .sha256)
        let encodedKey = key.publicKey.subjectPublicKeyInfo
        return Work(name: "P-256 verify in C") { count, _ in
            let good = counterfoil_yardstick_ecdsa(
                encodedKey, encodedKey.count, signature, signature.count, digest, digest.count,
                Int32(count))
            precondition(good == 1, "the yardstick's signature")
        }
    }
}
