// SPDX-License-Identifier: Apache-2.0
public import CounterfoilCore
import CounterfoilCrypto

extension ServiceKey {
    /// Where the secret half stands in the folder: as App Store Connect gives it away.
    public static let secretFileName = "AuthKey.p8"

    private static let namesFileName = "key.json"

    /// The key in a folder, which is made where it is absent.
    ///
    /// - Throws: ``AuthorityError``, also where others than their owner may read the secret half.
    public static func kept(
        in folder: String, random: some RandomSource
    ) throws(AuthorityError) -> ServiceKey {
        let (secretPath, namesPath) = (
            "\(folder)/\(secretFileName)", "\(folder)/\(namesFileName)"
        )
        // The names are written last, so a crash before leaves nothing that would be taken for a key.
        guard PrivateFile.exists(namesPath) else {
            try PrivateFile.removeFile(secretPath)
            return try made(secretPath: secretPath, namesPath: namesPath, random: random)
        }
        let text = try PrivateFile.read(secretPath)
        let names = try? JSONValue(parsing: Array(try PrivateFile.read(namesPath).utf8))
        guard let keyID = names?["key_id"]?.string, let issuerID = names?["issuer_id"]?.string,
            let secret = try? PrivateKey(pem: text)
        else {
            throw AuthorityError(code: .invalid, message: "\(namesPath) and the key do not decode")
        }
        return ServiceKey(keyID: keyID, issuerID: issuerID, publicKey: secret.publicKey)
    }

    private static func made(
        secretPath: String, namesPath: String, random: some RandomSource
    ) throws(AuthorityError) -> ServiceKey {
        let text: String
        let key: ServiceKey
        do throws(CryptoError) {
            let pair = try make(random: random)
            key = pair.key
            text = try pair.secret.pem()
        } catch {
            throw AuthorityError(code: .keys, message: error.message)
        }
        try PrivateFile.create(secretPath, text)
        let names: JSONValue = [
            "key_id": .string(key.keyID), "issuer_id": .string(key.issuerID),
        ]
        try PrivateFile.create(
            namesPath, String(decoding: names.indentedUTF8, as: UTF8.self) + "\n")
        return key
    }
}
