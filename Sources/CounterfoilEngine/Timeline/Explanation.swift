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

    /// What the customer handed in for products that give the right and that has not led to it until
    /// now, the newest first.
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
            let keys = try transaction.allKeys(of: key)
            let submissions = try keys.flatMap { key in
                try transaction.latestSubmissions(
                    policy.app, by: key, limit: Limits.explainedSubmissions)
            }.sorted { ($0.receivedAt, $0.submissionID) > ($1.receivedAt, $1.submissionID) }
            let attempts = try submissions.prefix(Int(Limits.explainedSubmissions)).map {
                try Attempt($0, in: environment, transaction)
            }.filter { $0.isFor(products) && !$0.hasLed(to: records) }
            return Explanation(
                customer: id, environment: environment, entitlement: entitlement,
                verdict: Explanation.Verdict(
                    records, isParked: attempts.contains { $0.isParked(for: keys) }, at: now),
                periods: try records.map { record in
                    Explanation.Period(
                        record: record,
                        proof: try transaction.transaction(
                            policy.app, environment, record.transactionID))
                },
                refusals: attempts.map(\.submission), products: products)
        }
    }
}

/// A submission, and how what it was about stands now.
private struct Attempt {
    let submission: SubmissionRecord
    let isInEnvironment: Bool

    /// The transaction that it proved, or that the customer claimed, if it is proven by now.
    let proven: TransactionRecord?

    init(
        _ submission: SubmissionRecord, in environment: AppStoreEnvironment,
        _ transaction: any ReadTransaction
    ) throws {
        self.submission = submission
        isInEnvironment = submission.environment ?? environment == environment
        let isOpen = isInEnvironment && submission.reason != nil
        let id = isOpen ? submission.transactionID ?? submission.claimedTransactionID : nil
        proven = try id.flatMap { try transaction.transaction(submission.app, environment, $0) }
    }

    /// Whether it led to nothing at first and was about one of the products, as far as is known.
    func isFor(_ products: [ProductID]) -> Bool {
        guard isInEnvironment, submission.reason != nil else { return false }
        let product = proven?.identity.value.productID ?? submission.claimedProductID
        return product.map(products.contains) ?? false
    }

    /// Whether the purchase gave the right after all, be it that the right was taken back since.
    func hasLed(to periods: [EntitlementPeriodRecord]) -> Bool {
        guard let sale = proven?.sale else { return false }
        return periods.contains { $0.sale == sale }
    }

    /// Whether the purchase waits now, and may be theirs.
    func isParked(for keys: [UniqueID]) -> Bool {
        guard let proven, proven.parking != nil else { return false }
        return proven.owner.map(keys.contains) ?? true
    }
}

extension Explanation.Verdict {
    fileprivate init(
        _ periods: [EntitlementPeriodRecord], isParked: Bool, at now: Instant
    ) {
        let standing = periods.filter { !$0.isRevoked }
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
