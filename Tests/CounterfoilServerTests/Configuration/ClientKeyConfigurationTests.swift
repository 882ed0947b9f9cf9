// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilCrypto
import Testing

@testable import CounterfoilEngine
@testable import CounterfoilServer

private func read(
    app members: String, _ more: String = ""
) throws(ConfigurationError) -> ServerConfiguration {
    let text = """
        { database: { sqlite: "a.db" }, \(more)
          apps: [{ id: "game", bundle_id: "b", catalogue: "c", app_apple_id: 1,
            deliver_from: { Production: "2026-01-01T00:00:00Z" }, \(members) }] }
        """
    return try ServerConfiguration(reading: Array(text.utf8), name: "c.json")
}

struct ClientKeysAreConfigured {
    @Test("Without the member an app takes no customer token and makes no anonymous customers")
    func standard() throws {
        let configuration = try read(app: "")
        #expect(configuration.apps[0].clientKeys == ClientKeyConfiguration())
        #expect(configuration.rateLimits == .standard)
        #expect(configuration.listen.trustedProxies == .none)
        let policy = try configuration.apps[0].policy { _ in Array("{ products: [] }".utf8) }
        #expect(!policy.clientKeys.allowsAnonymousCustomers)
    }

    @Test("Secrets and public keys are read from their files, relative to the configuration")
    func keys() throws {
        let key = try PrivateKey.generate(.ec(.p256))
        let spki = Base64.encode(key.publicKey.subjectPublicKeyInfo, .standard)
        let pem =
            "-----BEGIN PUBLIC KEY-----\n\(spki.prefix(64))\n\(spki.dropFirst(64))\n"
            + "-----END PUBLIC KEY-----\n"
        let secret = String(repeating: "s", count: 64)
        let configuration = try read(
            app: """
                client_keys: { hs256_secret_files: ["a.key"], es256_public_key_files: ["/b.pub"],
                  anonymous_customers: true },
                """
        ).resolved(in: "folder")
        let verifiers = try configuration.customerTokenVerifiers { path in
            #expect(path == "/b.pub")
            return Array(pem.utf8)
        } readingSecret: { path in
            #expect(path == "folder/a.key")
            return Array("\(secret)\r\n".utf8)
        }
        #expect(verifiers.map(\.app.rawValue) == ["game"])
        #expect(verifiers[0].secrets == [Array(secret.utf8)])
        #expect(verifiers[0].publicKeys == [key.publicKey])
        #expect(configuration.apps[0].clientKeys.allowsAnonymousCustomers)
    }

    @Test(
        "A secret that can be guessed and a file without one key on P-256 are refused",
        arguments: [
            ("short", nil), ("", nil), (String(repeating: "s", count: 1025), nil),
            (nil, "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"), (nil, ""),
            (nil, "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n"),
        ] as [(String?, String?)])
    func badFiles(secret: String?, key: String?) throws {
        let member = secret == nil ? "es256_public_key_files" : "hs256_secret_files"
        let configuration = try read(app: #"client_keys: { \#(member): ["k.file"] }"#)
        let error = #expect(throws: ConfigurationError.self) {
            _ = try configuration.customerTokenVerifiers { _ in
                Array((key ?? "").utf8)
            } readingSecret: { _ in
                Array((secret ?? "").utf8)
            }
        }
        #expect(error?.description.contains("k.file") == true)
    }

    @Test("A key on another curve is refused")
    func otherCurve() throws {
        let key = try PrivateKey.generate(.ec(.p384))
        let spki = Base64.encode(key.publicKey.subjectPublicKeyInfo, .standard)
        let configuration = try read(app: #"client_keys: { es256_public_key_files: ["k.pub"] }"#)
        #expect(throws: ConfigurationError.self) {
            _ = try configuration.customerTokenVerifiers { _ in
                Array(
                    "-----BEGIN PUBLIC KEY-----\n\(spki)\n-----END PUBLIC KEY-----\n".utf8)
            } readingSecret: { _ in
                []
            }
        }
    }

    @Test("Rates and trusted proxies are read; false is no limit")
    func rates() throws {
        let configuration = try read(
            app: "",
            """
            listen: { trusted_proxies: ["10.0.0.1", "::1"] },
            rate_limits: {
              customer: { per_second: 2, burst: 9 }, client_address: false,
              failed_key: { per_second: 3, burst: 8 },
            },
            """)
        #expect(
            configuration.rateLimits
                == RateLimits(
                    secretKey: nil, clientAddress: nil, customer: Rate(perSecond: 2, burst: 9),
                    failedKey: Rate(perSecond: 3, burst: 8)))
        #expect(configuration.listen.trustedProxies.addresses == ["10.0.0.1", "::1"])
    }

    @Test(
        "Faults are named",
        arguments: [
            (#"client_keys: { secret_files: [] }"#, "", "apps[0].client_keys.secret_files"),
            (#"client_keys: { hs256_secret_files: [7] }"#, "", "hs256_secret_files[0]"),
            ("", "rate_limits: { customer: { per_second: 0, burst: 1 } },", "per_second is 0"),
            ("", "rate_limits: { customer: {} },", "rate_limits.customer.burst is missing"),
            ("", "rate_limits: { customer: true },", "rate_limits.customer"),
            ("", "rate_limits: { key: false },", "rate_limits.key is unknown here"),
            ("", #"listen: { trusted_proxies: ["proxy"] },"#, "trusted_proxies[0]"),
        ])
    func faults(app: String, more: String, message: String) {
        let error = #expect(throws: ConfigurationError.self) { _ = try read(app: app, more) }
        #expect(error?.description.contains(message) == true, "\(String(describing: error))")
    }
}
