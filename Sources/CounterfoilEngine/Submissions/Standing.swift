// SPDX-License-Identifier: Apache-2.0

import CounterfoilApple
import CounterfoilCore
import CounterfoilDatabase
import CounterfoilStore

/// How a transaction stands for one customer, as far as it has been settled.
struct Standing {
    private let fact: TransactionFact
    private let record: TransactionRecord?
    private let grant: GrantRecord?
    private let customer: UniqueID
    private let order: OrderRecord?
    private let owner: UniqueID?
    private let receiver: UniqueID?

    /// Whether the rights of its sale are shared with the customer.
    private let isShared: Bool

    init(
        of fact: TransactionFact, for customer: UniqueID, _ app: AppID,
        in transaction: any ReadTransaction
    ) throws {
        self.fact = fact
        self.customer = customer
        record = try transaction.transaction(app, fact.environment, fact.transactionID)
        let sale = record?.sale.map {
            SaleReference(app: app, environment: fact.environment, key: $0)
        }
        grant = try sale.flatMap { try transaction.grant($0, revision: 0) }
        let owner = try record.flatMap { try transaction.owner(of: $0.original, [$0]) }
            .map { try transaction.current($0) }
        self.owner = owner
        receiver = try grant?.customer.map { try transaction.current($0) }
        if let sale, let owner, owner != customer {
            isShared = try RightHolders.of(sale, in: transaction).contains(customer)
        } else {
            isShared = false
        }
        order = try record?.order.flatMap { try transaction.currentOrder(app, id: $0) }
    }

    /// The entry of an answer.
    ///
    /// - Parameter decided: What this submission decided; without it the stored state is told.
    func entry(decided: Decision?) -> SubmissionOutcome.Entry {
        SubmissionOutcome.Entry(
            transactionID: fact.transactionID, productID: fact.productID,
            decision: decided ?? stored,
            grantID: receiver == customer ? grant?.grantID : nil,
            order: order?.customer == customer ? order?.referenceJSON ?? .null : .null)
    }

    private var stored: Decision {
        guard let record else { return .withheld(.queued) }
        if record.isRevoked { return .withheld(.revoked) }
        if isShared { return .restored }
        if let owner, owner != customer { return .withheld(.ownedByAnotherCustomer) }
        if let parking = record.parking {
            return .withheld(Reason(rawValue: parking.reason) ?? .queued)
        }
        guard let grant, grant.goods != nil else { return .withheld(.queued) }
        if grant.state == .deliveredElsewhere { return .withheld(.deliveredElsewhere) }
        if receiver == customer { return .alreadyFulfilled }
        return owner == customer ? .restored : .withheld(.ownedByAnotherCustomer)
    }
}
