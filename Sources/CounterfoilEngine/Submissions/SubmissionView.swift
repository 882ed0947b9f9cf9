// SPDX-License-Identifier: Apache-2.0

package import CounterfoilCore
import CounterfoilDatabase
package import CounterfoilStore

/// A submission as it was recorded.
package struct SubmissionView: Sendable {
    package let record: SubmissionRecord

    /// The studio's id of the customer who handed it in; nil once it is erased.
    package let customer: CustomerID?

    package init(record: SubmissionRecord, customer: CustomerID?) {
        self.record = record
        self.customer = customer
    }
}

extension Engine {
    /// Reads what became of a submission when it was handed in; nil if the app has none with this id,
    /// or if somebody else handed it in than the viewer, which costs the same.
    package func submission(
        _ id: UniqueID, of app: AppID, visibleTo viewer: CustomerID? = nil
    ) async throws -> SubmissionView? {
        try await database.read { transaction in
            let key = try viewer.map { try transaction.customerKey(app, $0) }
            let found = try transaction.submission(app, id: id)
            if let key, try !transaction.isOwned(by: key, found?.customer) { return nil }
            guard let record = found else { return nil }
            return SubmissionView(
                record: record,
                customer: try record.customer.flatMap { try transaction.customerID($0) })
        }
    }
}
