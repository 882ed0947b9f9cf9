// SPDX-License-Identifier: Apache-2.0

package import CounterfoilCore
import CounterfoilCrypto
package import CounterfoilDatabase
import CounterfoilStore

/// Finds out for which customer an app acts: by a token of the studio, or by the secret that this
/// server issued to an anonymous customer.
package struct CustomerDoor: CustomerAuthenticator {
    private let verifiers: [AppID: CustomerTokenVerifier]
    private let database: any Database

    package init(verifiers: [CustomerTokenVerifier], database: any Database) {
        self.verifiers = Dictionary(verifiers.map { ($0.app, $0) }) { first, _ in first }
        self.database = database
    }

    package func customer(
        named credential: CustomerCredential, of app: AppID, at now: Instant
    ) async throws -> CustomerID {
        switch credential {
        case .token(let token):
            let verifier =
                verifiers[app] ?? CustomerTokenVerifier(app: app, secrets: [], publicKeys: [])
            do throws(CustomerTokenError) {
                return try verifier.customer(in: token, at: now)
            } catch {
                throw Problem.unauthorized(
                    error.code.name, "the customer token is not usable: \(error)")
            }
        case .secret(let customer, let text):
            let digest = Digest.sha256(text.utf8)
            switch try await database.read({ try $0.standing(ofSecret: digest, app, customer) }) {
            case .valid: return customer
            case .merged: throw Problem.customerKnown
            case .invalid: throw Problem.customerSecretInvalid
            }
        }
    }
}
