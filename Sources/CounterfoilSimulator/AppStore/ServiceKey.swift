// SPDX-License-Identifier: Apache-2.0
public import CounterfoilCore
public import CounterfoilCrypto

/// An In-App Purchase key of App Store Connect: what a backend signs its requests with.
public struct ServiceKey: Sendable {
    /// Ten characters, the `kid` of a token's header.
    public let keyID: String

    /// A UUID, the `iss` of a token.
    public let issuerID: String

    /// Checks the token's signature.
    public let publicKey: PublicKey

    /// Takes a key that exists.
    public init(keyID: String, issuerID: String, publicKey: PublicKey) {
        self.keyID = keyID
        self.issuerID = issuerID
        self.publicKey = publicKey
    }

    /// Makes a key with its secret half, which the backend gets as a `.p8` file.
    ///
    /// - Throws: ``CryptoError`` if the library makes no key.
    public static func make(
        random: some RandomSource
    ) throws(CryptoError) -> (key: ServiceKey, secret: PrivateKey) {
        let secret = try PrivateKey.generate(.ec(.p256))
        let alphabet = Array("ABCDEFGHIJKLMNPQRSTUVWXYZ23456789".utf8)
        let name = random.bytes(10).map { alphabet[Int($0) % alphabet.count] }
        let key = ServiceKey(
            keyID: String(decoding: name, as: UTF8.self),
            issuerID: UniqueID.random(random).description, publicKey: secret.publicKey)
        return (key, secret)
    }
}
