// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilCrypto
import CounterfoilDatabase
import CounterfoilEngine
import CounterfoilHTTP

extension Interface {
    /// `POST /v1/customers`: a customer whom the studio does not know, for apps without accounts.
    var anonymousCustomerRoutes: [Route] {
        [
            .key(.post, "/v1/customers") { context, principal in
                try context.query { _ in }
                try context.body { (_: inout ObjectReader) in () }
                let policy = try policy(of: principal)
                guard policy.clientKeys.allowsAnonymousCustomers else {
                    throw Problem(
                        status: 403, code: "customer.anonymous_not_allowed",
                        detail: "the app's configuration has no client_keys.anonymous_customers")
                }
                let secret = CustomerSecret(random: engine.random)
                let customer = try engine.anonymousCustomer(
                    of: policy.app, secretDigest: secret.digest)
                // Not by `once`: its answer would keep the secret readable for a week. Made twice, the
                // customer whose answer was lost stays empty and does no harm.
                try await engine.database.write { try customer.insert(in: $0) }
                return .json(
                    [
                        "customer_id": .string(customer.id.rawValue),
                        "secret": .string(secret.text),
                    ], status: 201)
            }
        ]
    }
}

/// What an anonymous customer shows beside the id; shown once, stored nowhere.
struct CustomerSecret: Sendable {
    private static let prefix = "cfa_"
    private static let randomByteCount = 32

    let text: String

    init(random: some RandomSource) {
        text = Self.prefix + Base64.encode(random.bytes(Self.randomByteCount), .url)
    }

    /// What is stored and compared.
    var digest: [UInt8] { Digest.sha256(text.utf8) }
}
