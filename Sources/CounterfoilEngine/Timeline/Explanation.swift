// SPDX-License-Identifier: Apache-2.0

package import CounterfoilCore
import CounterfoilDatabase
package import CounterfoilStore

/// Why a customer has a right, or has not (promise P8).
package struct Explanation: Sendable {
    /// In one word.
    package enum Verdict: String, CaseIterable, Sendable {
        /// A sale gives it now.
        case active

        /// It begins later.
        case notBegun = "not_begun"

        /// It was given for a time that is over.
        case ended

        /// Every sale that gave it was taken back.
        case revoked

        /// A genuine purchase of it waits for something.
        case withheld

        /// Nothing that was handed in proves a purchase of it.
        case neverProven = "never_proven"
    }

    /// A sale that gives the right, and the transaction that proves it.
    package struct Period: Sendable {
        package let record: EntitlementPeriodRecord

        /// Nil only if the books are damaged.
        package let proof: TransactionRecord?
    }

    package let customer: CustomerID
    package let environment: AppStoreEnvironment
    package let entitlement: EntitlementID
    package let verdict: Verdict
    package let periods: [Period]

    /// What the customer handed in for products that give the right and that did not lead to it, the
    /// newest first.
    package let refusals: [SubmissionRecord]

    /// The products of the catalogue that give it.
    package let products: [ProductID]
}

extension Engine {
    /// Explains a right; nil for a customer whom nobody has named yet.
    package func explanation(
        of entitlement: EntitlementID, for id: CustomerID, to policy: AppPolicy,
        in environment: AppStoreEnvironment
    ) async throws -> Explanation? {
        let now = clock.now
        let products = policy.catalogue.products.values
            .filter { $0.goods.contains { $0.entitlement == entitlement } }.map(\.id).sorted()
        return try await database.read { transaction in
            guard let key = try transaction.customerKey(policy.app, id) else { return nil }
            let records = try transaction.entitlementPeriods(policy.app, environment, key)
                .filter { $0.entitlement == entitlement }
            let submissions = try transaction.allKeys(of: key).flatMap { key in
                try transaction.latestSubmissions(
                    policy.app, by: key, limit: Limits.explainedSubmissions)
            }.sorted { ($0.receivedAt, $0.submissionID) > ($1.receivedAt, $1.submissionID) }
            let refusals = try submissions.prefix(Int(Limits.explainedSubmissions)).filter {
                try Self.speaks($0, of: products, environment, in: transaction)
            }
            return Explanation(
                customer: id, environment: environment, entitlement: entitlement,
                verdict: Explanation.Verdict(records, refusals, at: now),
                periods: try records.map { record in
                    Explanation.Period(
                        record: record,
                        proof: try transaction.transaction(
                            policy.app, environment, record.transactionID))
                },
                refusals: refusals, products: products)
        }
    }

    /// Whether a submission led to nothing and was about one of the products, as far as is known.
    private static func speaks(
        _ submission: SubmissionRecord, of products: [ProductID],
        _ environment: AppStoreEnvironment, in transaction: any ReadTransaction
    ) throws -> Bool {
        guard submission.environment ?? environment == environment, submission.reason != nil else {
            return false
        }
        let proven = try submission.transactionID.flatMap {
            try transaction.transaction(submission.app, environment, $0)
        }
        let product = proven?.identity.value.productID ?? submission.claimedProductID
        return product.map(products.contains) ?? false
    }
}

extension Explanation.Verdict {
    fileprivate init(
        _ periods: [EntitlementPeriodRecord], _ refusals: [SubmissionRecord], at now: Instant
    ) {
        let standing = periods.filter { !$0.isRevoked }
        let isParked = refusals.contains {
            $0.status == SubmissionStatus.parked.rawValue
        }
        if standing.contains(where: { $0.covers(now) }) {
            self = .active
        } else if standing.contains(where: { $0.startsAt > now }) {
            self = .notBegun
        } else if isParked {
            self = .withheld
        } else if !standing.isEmpty {
            self = .ended
        } else {
            self = periods.isEmpty ? .neverProven : .revoked
        }
    }
}

extension Goods {
    /// The right that it is, or nil for units.
    var entitlement: EntitlementID? {
        if case .entitlement(let id, _) = self { id } else { nil }
    }
}
