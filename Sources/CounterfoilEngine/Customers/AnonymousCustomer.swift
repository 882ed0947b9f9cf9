// SPDX-License-Identifier: Apache-2.0

package import CounterfoilCore
package import CounterfoilDatabase
import CounterfoilStore

/// A customer whom the studio does not know, with everything drawn that it takes to make one.
package struct AnonymousCustomer: Sendable {
    /// The id that the customer is known by from now on.
    package let id: CustomerID

    let app: AppID
    let key: UniqueID
    let secretDigest: [UInt8]
    let now: Instant

    /// Makes the customer.
    package func insert(in transaction: any WriteTransaction) throws {
        try transaction.insertAnonymousCustomer(
            app, id, key: key, secretDigest: secretDigest, at: now)
    }
}

extension Engine {
    /// Prepares an anonymous customer.
    ///
    /// - Parameter secretDigest: SHA-256 of the secret that goes to the customer alone.
    package func anonymousCustomer(
        of app: AppID, secretDigest: [UInt8]
    ) throws -> AnonymousCustomer {
        AnonymousCustomer(
            id: try CustomerID("\(Self.anonymousPrefix)\(UniqueID.random(random))"), app: app,
            key: freshID(), secretDigest: secretDigest, now: clock.now)
    }

    /// Ids that the server issues begin so, to be told from the studio's own at a glance. Nothing is
    /// decided by it.
    private static let anonymousPrefix = "anon-"
}
