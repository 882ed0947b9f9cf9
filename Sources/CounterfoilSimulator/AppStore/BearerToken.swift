// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilCrypto

/// The token that a backend signs for each request (JWT, RFC 7519, by ES256).
struct BearerToken {
    /// Why the API answers 401; Apple tells nobody, so this is for the simulator's log.
    struct Refusal: Error, Hashable, Sendable, CustomStringConvertible {
        let description: String

        init(_ description: String) {
            self.description = description
        }
    }

    private static let audience = "appstoreconnect-v1"

    /// Apple's longest life of a token.
    private static let maximumLife: Int64 = 60 * 60

    private static let bearer = "Bearer "

    /// Judges the header `Authorization`.
    ///
    /// - Throws: The first rule that is broken. The order is ours.
    static func check(
        _ header: String?, keys: [ServiceKey], bundleID: String, at now: Instant
    ) throws(Refusal) {
        guard let header else { throw Refusal("there is no Authorization header") }
        guard header.hasPrefix(bearer) else { throw Refusal("Authorization is no bearer token") }
        let parts = header.dropFirst(bearer.count).split(
            separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3 else { throw Refusal("the token has not three parts") }
        guard let head = document(parts[0]), let claims = document(parts[1]),
            let signature = Base64.decode(parts[2].utf8, .url)
        else { throw Refusal("the token does not decode") }
        guard head["alg"] == "ES256" else { throw Refusal("alg is not ES256") }
        guard let key = keys.first(where: { head["kid"]?.string == $0.keyID }) else {
            throw Refusal("kid names no key of this app")
        }
        guard key.publicKey.isValidRawSignature(signature, of: "\(parts[0]).\(parts[1])".utf8)
        else { throw Refusal("the signature does not belong to the key \(key.keyID)") }
        try check(claims, key: key, bundleID: bundleID, at: now)
    }

    private static func check(
        _ claims: JSONValue, key: ServiceKey, bundleID: String, at now: Instant
    ) throws(Refusal) {
        guard claims["iss"]?.string == key.issuerID else {
            throw Refusal("iss is not the issuer of the key")
        }
        guard claims["aud"]?.string == audience else { throw Refusal("aud is not \(audience)") }
        guard claims["bid"]?.string == bundleID else { throw Refusal("bid is not \(bundleID)") }
        let seconds = now.millisecondsSinceEpoch / 1000
        // One of Apple's own libraries sends no iat, and is taken.
        let issued = claims["iat"] == nil ? seconds : claims["iat"]?.int64
        guard let issued else { throw Refusal("iat is no number") }
        guard let expires = claims["exp"]?.int64 else { throw Refusal("exp is missing") }
        guard issued <= seconds else {
            throw Refusal("iat lies \(issued - seconds) s in the future")
        }
        guard expires > seconds else { throw Refusal("exp has passed") }
        guard expires > issued, expires - issued <= maximumLife else {
            throw Refusal("exp is not within \(maximumLife) s after iat")
        }
    }

    private static func document(_ part: Substring) -> JSONValue? {
        guard let bytes = Base64.decode(part.utf8, .url) else { return nil }
        return try? JSONValue(parsing: bytes)
    }
}
