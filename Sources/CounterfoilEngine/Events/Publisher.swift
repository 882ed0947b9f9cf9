// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilDatabase
import CounterfoilStore

/// Publishes changes inside the transaction that makes them.
struct Publisher {
    let transaction: any WriteTransaction
    let epoch: UniqueID
    let now: Instant

    /// Gives the change the customer's next sequence number and a snapshot of what the customer has
    /// now, and stores it as an event.
    ///
    /// Taking the number locks the customer's wallet to the end of the transaction. Publish last,
    /// behind all other changes to the customer, so that the snapshot holds them; a change to a
    /// balance locks the wallet itself before it reads any.
    func publish(_ draft: EventDraft) throws(DatabaseError) {
        var sequence: Int64?
        let body: String
        if let customer = draft.customer {
            sequence = try transaction.nextSequence(draft.app, draft.environment, customer)
            body = EventBody.text(
                data: draft.data, state: try state(of: customer, draft.app, draft.environment))
        } else {
            let alone: JSONValue = ["data": draft.data]
            body = alone.text
        }
        try transaction.publish(
            EventRecord(
                eventID: draft.id, app: draft.app, environment: draft.environment,
                customer: draft.customer, epoch: epoch, sequence: sequence,
                type: draft.type.rawValue, body: body, createdAt: now))
    }

    private func state(
        of customer: UniqueID, _ app: AppID, _ environment: AppStoreEnvironment
    ) throws(DatabaseError) -> JSONValue {
        EventBody.state(
            balances: try transaction.balances(app, environment, customer),
            periods: try transaction.entitlementPeriods(app, environment, customer), at: now)
    }
}
