// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilCrypto
import CounterfoilHTTP
import CounterfoilTestSupport

@testable import CounterfoilServer

/// Customer tokens as a studio's server signs them, and as nobody should.
enum SignedToken {
    /// A token with exactly this header and these claims.
    static func make(
        header: String, claims: String, signature: (_ signed: [UInt8]) throws -> [UInt8]
    ) rethrows -> String {
        let parts = [header, claims].map { Base64.encode(Array($0.utf8), .url) }
        let signed = parts.joined(separator: ".")
        return signed + "." + Base64.encode(try signature(Array(signed.utf8)), .url)
    }

    static func claims(
        _ customer: String = "u1", app: String = "game", issued: Instant,
        lifetime: Int64 = 600, more: String = ""
    ) -> String {
        let start = issued.millisecondsSinceEpoch / 1000
        return """
            {"sub":"\(customer)","aud":"\(app)","iat":\(start),"exp":\(start + lifetime)\(more)}
            """
    }

    static func hmac(
        _ claims: String, header: String = #"{"alg":"HS256","typ":"JWT"}"#,
        secret: [UInt8] = GameServer.tokenSecret
    ) -> String {
        make(header: header, claims: claims) {
            MessageAuthentication.hmacSHA256(key: secret, message: $0)
        }
    }
}

extension GameServer {
    /// The headers by which an app acts for a customer whom the studio named just now.
    func named(_ customer: String, more: HTTPHeaders = HTTPHeaders()) -> HTTPHeaders {
        var headers = more
        headers["Counterfoil-Customer-Token"] = SignedToken.hmac(
            SignedToken.claims(customer, issued: clock.now))
        return headers
    }

    func clientKey() async throws -> String {
        try await keys.create(.client, for: AppID("game"), label: "app").text
    }
}
