// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilCrypto
import CounterfoilHTTP
import Testing

@testable import CounterfoilServer

struct ACustomerTokenNamesOneCustomer {
    private let now = Instant(secondsSinceEpoch: 1_800_000_000)
    private static let issued = Instant(secondsSinceEpoch: 1_800_000_000)

    private func verifier(
        secrets: [[UInt8]] = [GameServer.tokenSecret], keys: [PublicKey] = []
    ) throws -> CustomerTokenVerifier {
        CustomerTokenVerifier(app: try AppID("game"), secrets: secrets, publicKeys: keys)
    }

    @Test("Signed by HS256 it names its subject, with the old secret and the new")
    func hmac() throws {
        let other = [UInt8](repeating: 7, count: 32)
        let verifier = try verifier(secrets: [other, GameServer.tokenSecret])
        for secret in [other, GameServer.tokenSecret] {
            let token = SignedToken.hmac(
                SignedToken.claims("Zoë", issued: now), secret: secret)
            #expect(try verifier.customer(in: token, at: now).rawValue == "Zoë")
        }
    }

    @Test("The example of RFC 7515 A.1 has a signature that verifies, and no customer in it")
    func example() throws {
        let secret = try #require(
            Base64.decode(
                Array(
                    "AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow"
                        .utf8), .url))
        let token =
            "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9"
            + ".eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"
            + ".dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
        #expect(
            throws: CustomerTokenError(.invalid, "its \"aud\" is not this app")
        ) { try verifier(secrets: [secret]).customer(in: token, at: now) }
    }

    @Test("Signed by ES256 it names its subject; the signature is r and s, not DER")
    func ecdsa() throws {
        let key = try PrivateKey.generate(.ec(.p256))
        let header = #"{"alg":"ES256","kid":"2026"}"#
        let claims = SignedToken.claims(issued: now)
        let verifier = try verifier(secrets: [], keys: [key.publicKey])
        let token = try SignedToken.make(header: header, claims: claims) {
            try key.rawSignature(of: $0)
        }
        #expect(try verifier.customer(in: token, at: now).rawValue == "u1")
        let encoded = try SignedToken.make(header: header, claims: claims) {
            try key.signature(of: $0, algorithm: .sha256)
        }
        #expect(throws: CustomerTokenError.self) { try verifier.customer(in: encoded, at: now) }
        let stranger = try PrivateKey.generate(.ec(.p256))
        let forged = try SignedToken.make(header: header, claims: claims) {
            try stranger.rawSignature(of: $0)
        }
        #expect(throws: CustomerTokenError.self) { try verifier.customer(in: forged, at: now) }
    }

    @Test("A public key is no secret for HMAC, and no signature is no signature")
    func confusion() throws {
        let key = try PrivateKey.generate(.ec(.p256))
        let verifier = try verifier(secrets: [], keys: [key.publicKey])
        let claims = SignedToken.claims(issued: now)
        let spki = key.publicKey.subjectPublicKeyInfo
        let pem =
            "-----BEGIN PUBLIC KEY-----\n\(Base64.encode(spki, .standard))\n-----END PUBLIC KEY-----\n"
        var tokens = [spki, Array(pem.utf8), []].map { SignedToken.hmac(claims, secret: $0) }
        for algorithm in ["none", "None", "hs256", "HS384", "RS256", "ES256K", ""] {
            tokens.append(
                SignedToken.make(header: #"{"alg":"\#(algorithm)"}"#, claims: claims) { _ in [] })
        }
        tokens.append(SignedToken.make(header: "{}", claims: claims) { _ in [] })
        tokens.append(SignedToken.make(header: #"{"alg":["HS256"]}"#, claims: claims) { _ in [] })
        tokens.append(
            SignedToken.make(header: #"{"alg":"ES256"}"#, claims: claims) { _ in
                [UInt8](repeating: 0, count: 64)
            })
        tokens.append(
            SignedToken.make(header: #"{"alg":"ES256"}"#, claims: claims) {
                MessageAuthentication.hmacSHA256(key: spki, message: $0)
            })
        for token in tokens {
            #expect(throws: CustomerTokenError.self, "\(token)") {
                try verifier.customer(in: token, at: now)
            }
        }
    }

    private static let badClaims: [(claims: String, names: String)] = [
        (SignedToken.claims(app: "other", issued: issued), "aud"),
        (#"{"sub":"u1","aud":["game","other"],"iat":1800000000,"exp":1800000600}"#, "aud"),
        (#"{"sub":"u1","iat":1800000000,"exp":1800000600}"#, "aud"),
        (#"{"sub":"u1","aud":"game","iat":1800000000}"#, "exp"),
        (#"{"sub":"u1","aud":"game","exp":1800000600}"#, "iat"),
        (#"{"sub":"u1","aud":"game","iat":1800000000,"exp":"1800000600"}"#, "exp"),
        (#"{"sub":"u1","aud":"game","iat":1800000000,"exp":1800000600.5}"#, "exp"),
        (#"{"sub":"u1","aud":"game","iat":1800000000,"exp":-1}"#, "exp"),
        (#"{"sub":"u1","aud":"game","iat":1800000000,"exp":9223372036854775807}"#, "exp"),
        (SignedToken.claims(issued: issued, lifetime: 3601), "exp"),
        (SignedToken.claims(issued: issued, lifetime: 0), "exp"),
        (SignedToken.claims(issued: issued + .seconds(61)), "iat"),
        (SignedToken.claims(issued: issued + .seconds(86_400)), "iat"),
        (SignedToken.claims(issued: issued, more: #","nbf":1800000300"#), "nbf"),
        (SignedToken.claims("", issued: issued), "sub"),
        (SignedToken.claims(#"a\u0000b"#, issued: issued), "sub"),
        (#"{"sub":7,"aud":"game","iat":1800000000,"exp":1800000600}"#, "sub"),
        (#"{"aud":"game","iat":1800000000,"exp":1800000600}"#, "sub"),
        (#"{"sub":"u1","sub":"u2","aud":"game","iat":1800000000,"exp":1800000600}"#, "claims"),
        ("[]", "claims"), ("", "claims"),
    ]

    @Test("A claim that is missing, wrong or too far is named", arguments: Self.badClaims)
    func claims(_ claims: String, _ name: String) throws {
        let error = #expect(throws: CustomerTokenError.self) {
            try verifier().customer(in: SignedToken.hmac(claims), at: now)
        }
        #expect(error?.code == .invalid)
        #expect(error?.description.contains(name) == true, "\(String(describing: error))")
    }

    @Test("It is good until its end and a minute, and then it has expired")
    func expiry() throws {
        let token = SignedToken.hmac(SignedToken.claims(issued: now, lifetime: 3600))
        let verifier = try verifier()
        #expect(try verifier.customer(in: token, at: now + .seconds(3659)).rawValue == "u1")
        #expect(throws: CustomerTokenError(.expired, "it has expired")) {
            try verifier.customer(in: token, at: now + .seconds(3660))
        }
    }

    @Test("One changed character, a part too few or too many, and critical headers are refused")
    func form() throws {
        let verifier = try verifier()
        let claims = SignedToken.claims(issued: now)
        let token = SignedToken.hmac(claims)
        for index in token.indices {
            var changed = token
            changed.replaceSubrange(index...index, with: token[index] == "A" ? "B" : "A")
            #expect(throws: CustomerTokenError.self) { try verifier.customer(in: changed, at: now) }
        }
        let others = [
            "", ".", "..", "a.b.c", token + ".", "." + token, token + "=", token + "\n",
            String(repeating: "A", count: 5000),
            SignedToken.hmac(claims, header: #"{"alg":"HS256","crit":["b64"],"b64":false}"#),
        ]
        for other in others {
            #expect(throws: CustomerTokenError.self) { try verifier.customer(in: other, at: now) }
        }
    }

    @Test("Without keys an app takes no token")
    func noKeys() throws {
        let token = SignedToken.hmac(SignedToken.claims(issued: now), secret: [])
        #expect(throws: CustomerTokenError.self) {
            try verifier(secrets: []).customer(in: token, at: now)
        }
    }
}
