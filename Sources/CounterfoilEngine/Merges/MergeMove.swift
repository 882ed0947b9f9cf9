// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilDatabase
import CounterfoilStore

/// What moves between two customers that become one, or are parted, in all environments.
struct MergeMove {
    let merge: MergeRecord
    let policy: AppPolicy
    let transaction: any WriteTransaction
    let epoch: UniqueID
    let now: Instant

    /// Environments in which anything may be, in the order of locks.
    var environments: [AppStoreEnvironment] {
        policy.deliverFrom.keys.sorted { $0.rawValue < $1.rawValue }
    }

    /// Locks the sales of the merged customer's that give the holder rights, and the wallets of both;
    /// between the two, as in all transactions, come orders.
    ///
    /// - Parameter holder: Who has them now.
    func lock(
        salesAt holder: UniqueID, moving orders: () throws -> Void
    ) throws -> [SaleReference] {
        let keys = Set(try transaction.allKeys(of: merge.source))
        let sales = try sales(of: keys, at: holder)
        guard sales.count <= Limits.mergedRows else { throw MergeRefusal.tooLarge }
        for sale in sales { try transaction.lock(.sale(sale)) }
        try orders()
        for environment in environments {
            for key in [merge.source, merge.target].sorted() {
                try transaction.lockWallet(policy.app, environment, key)
            }
        }
        guard try self.sales(of: keys, at: holder) == sales else {
            throw DatabaseError(.busy, "the customer bought something just now")
        }
        return sales
    }

    /// What gives the holder rights and is owned by one of the keys, or shared with it; of the merged
    /// customer that is all that it has.
    private func sales(
        of keys: Set<UniqueID>, at holder: UniqueID
    ) throws -> [SaleReference] {
        try environments.flatMap { environment in
            let periods = try transaction.entitlementPeriods(policy.app, environment, holder)
            return try Set(periods.map(\.sale)).sorted().map {
                SaleReference(app: policy.app, environment: environment, key: $0)
            }.filter { sale in
                try holder == merge.source
                    || transaction.sale(sale)?.customer.map(keys.contains) ?? false
                    || transaction.shares(of: sale).contains(where: keys.contains)
            }
        }
    }

    /// Gives the rights of the sales to whoever their owners are now.
    func lay(_ sales: [SaleReference]) throws {
        for sale in sales { try RightHolders.lay(sale, in: transaction) }
    }

    /// Closes the merged customer's wallets, or opens them again.
    func close(_ isClosed: Bool) throws {
        for environment in environments {
            try transaction.close(isClosed, wallet: merge.source, policy.app, environment)
        }
    }

    /// Tells both customers' readers, wherever the merged one ever had anything.
    func publish(_ cause: String) throws {
        let data: JSONValue = [
            "merge_id": .string(merge.mergeID.description), "transfer_id": .null,
            "from_customer_id": .optional(try transaction.customerID(from(cause))?.rawValue),
            "to_customer_id": .optional(try transaction.customerID(to(cause))?.rawValue),
            "cause": .string(cause),
        ]
        for environment in environments {
            guard try transaction.sequence(policy.app, environment, merge.source) > 0 else {
                continue
            }
            for customer in [merge.source, merge.target].sorted() {
                try Publisher(transaction: transaction, epoch: epoch, now: now).publish(
                    EventDraft(
                        id: DerivedID.digest([
                            cause, merge.mergeID.description, environment.rawValue,
                            customer.description,
                        ]),
                        type: .ownershipChanged, app: policy.app, environment: environment,
                        customer: customer, data: data))
            }
        }
    }

    private func from(_ cause: String) -> UniqueID {
        cause == "merge" ? merge.source : merge.target
    }

    private func to(_ cause: String) -> UniqueID {
        cause == "merge" ? merge.target : merge.source
    }
}
