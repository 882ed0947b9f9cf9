// SPDX-License-Identifier: Apache-2.0
package import CounterfoilCore
package import CounterfoilCrypto

/// Signs compact JWS (RFC 7515) by ES256; the header is encoded once and used for all of them.
package struct JWSSigner: Sendable {
    private let key: PrivateKey
    private let encodedHeader: [UInt8]

    /// Signs with the chain's leaf, under the header that Apple writes.
    package init(_ chain: SigningChain) {
        self.init(
            key: chain.leaf.key,
            header: Self.header(certificates: chain.certificates))
    }

    /// Signs under any header, which need not fit the key.
    package init(key: PrivateKey, header: JSONValue) {
        self.key = key
        encodedHeader = Array(Base64.encode(header.utf8, .url).utf8)
    }

    /// The header `alg`, `x5c` and whatever else is given.
    package static func header(
        algorithm: String = "ES256", certificates: [[UInt8]],
        additional: [JSONObject.Member] = []
    ) -> JSONValue {
        var header = JSONObject()
        header.append("alg", .string(algorithm))
        header.append(
            "x5c", .array(certificates.map { .string(Base64.encode($0, .standard)) }))
        for member in additional { header.append(member.key, member.value) }
        return .object(header)
    }

    /// The three parts of a token over these bytes, which need not be JSON.
    package func sign(_ payload: [UInt8]) throws(CryptoError) -> String {
        var token = encodedHeader
        token.append(UInt8(ascii: "."))
        token += Base64.encode(payload, .url).utf8
        let signature = try key.rawSignature(of: token)
        token.append(UInt8(ascii: "."))
        token += Base64.encode(signature, .url).utf8
        return String(decoding: token, as: UTF8.self)
    }
}
