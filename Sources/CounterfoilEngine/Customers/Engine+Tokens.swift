// SPDX-License-Identifier: Apache-2.0

package import CounterfoilCore
import CounterfoilDatabase
import CounterfoilStore

/// What became of a request for an account token.
package enum TokenOutcome: Hashable, Sendable {
    /// The token names the customer now, or did before.
    case registered(UniqueID)

    /// The token names somebody else; it stays theirs.
    case takenByAnother

    /// The customer has as many tokens as one may have.
    case tooMany(limit: Int64)
}

extension Engine {
    /// Registers a UUID that the app gives to StoreKit as `appAccountToken` for this customer.
    ///
    /// The customer is made if it is not known yet. Purchases that were parked because nobody knew
    /// the token are settled by a job.
    ///
    /// - Parameter token: A token of the studio's own, to make one known that is in use already;
    ///   repeating it changes nothing. nil draws a fresh one each time.
    package func registerToken(
        _ token: UniqueID?, for id: CustomerID, to policy: AppPolicy
    ) async throws -> TokenOutcome {
        let now = clock.now
        let wanted = token ?? UniqueID.random(random)
        let freshKey = freshID()
        let app = policy.app
        let environments = Array(policy.deliverFrom.keys)
        do {
            let outcome = try await database.write { transaction -> TokenOutcome in
                if let holder = try transaction.customerKey(app, named: wanted) {
                    let isOwn = try transaction.customerKey(app, id) == holder
                    return isOwn ? .registered(wanted) : .takenByAnother
                }
                let customer = try transaction.ensureCustomer(
                    app, id, freshKey: freshKey, at: now)
                guard try transaction.tokenCount(customer) < Limits.tokensPerCustomer else {
                    return .tooMany(limit: Limits.tokensPerCustomer)
                }
                let holder = try transaction.registerToken(app, wanted, of: customer, at: now)
                guard holder == customer else { throw TokenTaken() }
                for environment in environments {
                    let job = ParkedJob(
                        environment: environment, reason: .unknownToken, cause: wanted.description)
                    try transaction.enqueue(job.record(app: app, at: now))
                }
                return .registered(wanted)
            }
            if case .registered = outcome { jobSignal() }
            return outcome
        } catch is TokenTaken {
            return .takenByAnother
        }
    }
}

/// That another transaction registered the token meanwhile; it undoes the customer that this one made.
private struct TokenTaken: Error {}
