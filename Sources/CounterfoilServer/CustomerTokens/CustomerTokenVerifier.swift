// SPDX-License-Identifier: Apache-2.0

package import CounterfoilCore
package import CounterfoilCrypto

/// Judges the tokens by which an app's studio names one of its users for a while: a JWS in compact
/// form (RFC 7515) with claims of a JWT (RFC 7519).
///
/// The algorithm chooses among the keys that were configured for it and nothing else: a public key is
/// never a secret for HMAC, and a token without signature has no key at all.
package struct CustomerTokenVerifier: Sendable {
    let app: AppID

    /// For HS256; several while one takes the place of another.
    let secrets: [[UInt8]]

    /// For ES256, on P-256.
    let publicKeys: [PublicKey]

    package init(app: AppID, secrets: [[UInt8]], publicKeys: [PublicKey]) {
        precondition(
            secrets.allSatisfy { $0.count >= Limits.tokenSecretByteCounts.lowerBound },
            "a short secret can be guessed from one token")
        self.app = app
        self.secrets = secrets
        self.publicKeys = publicKeys
    }

    /// The customer whom the token names.
    package func customer(
        in token: String, at now: Instant
    ) throws(CustomerTokenError) -> CustomerID {
        guard token.utf8.count <= Limits.customerTokenByteCount else {
            throw CustomerTokenError(
                "it is longer than \(Limits.customerTokenByteCount) bytes")
        }
        let parts = token.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3 else { throw CustomerTokenError("it has not three parts") }
        let signature = try Self.bytes(parts[2], "signature")
        let signed = Array(parts[0]) + [UInt8(ascii: ".")] + Array(parts[1])
        try check(try Self.object(parts[0], "header"), signature, over: signed)
        return try customer(of: try Self.object(parts[1], "claims"), at: now)
    }

    // MARK: Signature

    private func check(
        _ header: JSONObject, _ signature: [UInt8], over signed: [UInt8]
    ) throws(CustomerTokenError) {
        // Whoever lists something as critical wants it refused by those who do not know it.
        guard header["crit"] == nil else {
            throw CustomerTokenError("its header has \"crit\", which is not supported")
        }
        let isValid: Bool
        switch header["alg"]?.string {
        case "HS256":
            // Every secret is tried, so that the time tells nothing about which it was.
            isValid =
                secrets.count { secret in
                    let code = MessageAuthentication.hmacSHA256(key: secret, message: signed)
                    return constantTimeEqual(code, signature)
                } > 0
        case "ES256":
            isValid = publicKeys.contains { $0.isValidRawSignature(signature, of: signed) }
        default:
            throw CustomerTokenError("its \"alg\" is neither HS256 nor ES256")
        }
        guard isValid else {
            throw CustomerTokenError("its signature is not by a key of this app")
        }
    }

    // MARK: Claims

    private func customer(
        of claims: JSONObject, at now: Instant
    ) throws(CustomerTokenError) -> CustomerID {
        guard isAudience(claims["aud"]) else {
            throw CustomerTokenError("its \"aud\" is not this app")
        }
        let issued = try Self.time("iat", in: claims)
        let expires = try Self.time("exp", in: claims)
        guard issued <= now + Limits.customerTokenLeeway else {
            throw CustomerTokenError("its \"iat\" is in the future")
        }
        guard issued < expires, expires.since(issued) <= Limits.customerTokenLifetime else {
            throw CustomerTokenError(
                "its \"exp\" is not within \(Limits.customerTokenLifetime.components.seconds) "
                    + "seconds after its \"iat\"")
        }
        if claims["nbf"] != nil {
            guard try Self.time("nbf", in: claims) <= now + Limits.customerTokenLeeway else {
                throw CustomerTokenError("its \"nbf\" is in the future")
            }
        }
        guard now < expires + Limits.customerTokenLeeway else {
            throw CustomerTokenError(.expired, "it has expired")
        }
        guard let subject = claims["sub"]?.string, let customer = try? CustomerID(subject) else {
            throw CustomerTokenError("its \"sub\" is no customer id")
        }
        return customer
    }

    /// One app, as text or as a list of one; a token for several is good for none.
    private func isAudience(_ value: JSONValue?) -> Bool {
        let name = value?.string ?? value?.array.flatMap { $0.count == 1 ? $0[0].string : nil }
        return name.flatMap { try? AppID($0) } == app
    }

    private static func time(
        _ claim: String, in claims: JSONObject
    ) throws(CustomerTokenError) -> Instant {
        guard let seconds = claims[claim]?.int64, seconds >= 0 else {
            throw CustomerTokenError("its \"\(claim)\" is no whole number of seconds")
        }
        return Instant(secondsSinceEpoch: seconds)
    }

    // MARK: Parts

    private static func bytes(
        _ part: Substring.UTF8View, _ name: String
    ) throws(CustomerTokenError) -> [UInt8] {
        guard let bytes = Base64.decode(Array(part), .url) else {
            throw CustomerTokenError("its \(name) is not base64url without padding")
        }
        return bytes
    }

    private static func object(
        _ part: Substring.UTF8View, _ name: String
    ) throws(CustomerTokenError) -> JSONObject {
        let bytes = try bytes(part, name)
        guard let object = (try? JSONValue(parsing: bytes))?.object else {
            throw CustomerTokenError("its \(name) is no JSON object")
        }
        return object
    }
}
