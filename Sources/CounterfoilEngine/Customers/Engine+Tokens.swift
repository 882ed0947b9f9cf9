// SPDX-License-Identifier: Apache-2.0

package import CounterfoilCore
package import CounterfoilDatabase
import CounterfoilStore

/// Why an account token was not registered.
package enum TokenRefusal: Error, Hashable, Sendable {
    /// The token names somebody else; it stays theirs.
    case takenByAnother

    /// The customer has as many tokens as one may have.
    case tooMany(limit: Int64)
}

/// A request to make an account token name a customer, with everything drawn that it needs.
package struct TokenRegistration: Sendable {
    let app: AppID
    let customer: CustomerID
    let token: UniqueID
    let freshCustomerKey: UniqueID
    let environments: [AppStoreEnvironment]
    let now: Instant

    /// Registers the token; the same for the same customer again changes nothing.
    ///
    /// The customer is made if it is not known yet. Purchases that were parked because nobody knew
    /// the token are settled by a job.
    ///
    /// - Returns: The token.
    /// - Throws: ``TokenRefusal``, after which the transaction must not be committed.
    package func run(in transaction: any WriteTransaction) throws -> UniqueID {
        if let holder = try transaction.customerKey(app, named: token) {
            guard try transaction.customerKey(app, customer) == transaction.current(holder) else {
                throw TokenRefusal.takenByAnother
            }
            return token
        }
        let key = try transaction.ensureCustomer(app, customer, freshKey: freshCustomerKey, at: now)
        guard try transaction.tokenCount(key) < Limits.tokensPerCustomer else {
            throw TokenRefusal.tooMany(limit: Limits.tokensPerCustomer)
        }
        // Another transaction may have been faster.
        guard try transaction.registerToken(app, token, of: key, at: now) == key else {
            throw TokenRefusal.takenByAnother
        }
        for environment in environments {
            let job = ParkedJob(
                environment: environment, reason: .unknownToken, cause: token.description)
            try transaction.enqueue(job.record(app: app, at: now))
        }
        return token
    }
}

extension Engine {
    /// Prepares the registration of a UUID that the app gives to StoreKit as `appAccountToken` for
    /// this customer; it is done by ``TokenRegistration/run(in:)`` inside ``once(_:_:)``.
    ///
    /// - Parameter token: A token of the studio's own, to make one known that is in use already; nil
    ///   draws a fresh one.
    package func registration(
        of token: UniqueID?, for customer: CustomerID, to policy: AppPolicy
    ) -> TokenRegistration {
        TokenRegistration(
            app: policy.app, customer: customer, token: token ?? UniqueID.random(random),
            freshCustomerKey: freshID(),
            environments: policy.deliverFrom.keys.sorted { $0.rawValue < $1.rawValue },
            now: clock.now)
    }

    /// Registers a token in a transaction of its own; see ``TokenRegistration/run(in:)``.
    @discardableResult
    package func registerToken(
        _ token: UniqueID?, for customer: CustomerID, to policy: AppPolicy
    ) async throws -> UniqueID {
        let registration = registration(of: token, for: customer, to: policy)
        let registered = try await database.write { try registration.run(in: $0) }
        jobSignal()
        return registered
    }
}
