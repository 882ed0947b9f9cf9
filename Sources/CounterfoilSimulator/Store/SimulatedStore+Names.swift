// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore

/// From names to positions and back.
extension SimulatedStore {
    func accountPosition(_ name: String) throws(StoreError) -> Int {
        guard let position = accountPositions[name] else {
            throw StoreError(
                .accountUnknown, "there is no account \(name)",
                allowed: accounts.prefix(Limits.maximumSuggestions).map(\.name))
        }
        return Int(position)
    }

    func productPosition(_ id: String) throws(StoreError) -> Int {
        guard let position = catalog.position(of: id) else {
            throw StoreError(
                .productUnknown, "the catalogue has no product \(id)",
                allowed: shelf.prefix(Limits.maximumSuggestions).map(\.product.id))
        }
        return position
    }

    func transactionPosition(_ id: String) throws(StoreError) -> Int {
        guard
            let position = numbers.position(
                of: id, from: numbers.firstTransaction, count: transactions.count),
            !transactions[position].flags.contains(.isDeleted)
        else {
            throw StoreError(.transactionUnknown, "there is no transaction \(id)")
        }
        return position
    }

    /// The subscription that a transaction belongs to.
    func subscriptionPosition(_ transactionID: String) throws(StoreError) -> Int {
        let transaction = try transactionPosition(transactionID)
        guard let position = subscriptionPosition(of: transaction) else {
            throw StoreError(
                .subscriptionUnknown, "transaction \(transactionID) is of no subscription")
        }
        return position
    }

    /// A family member's subscription cannot be acted on; its buyer's can.
    func ownSubscriptionPosition(_ transactionID: String) throws(StoreError) -> Int {
        let position = try subscriptionPosition(transactionID)
        guard subscriptions[position].sharedFrom < 0 else {
            throw StoreError(
                .transactionShared, "transaction \(transactionID) is shared by the family",
                allowed: [
                    idOfTransaction(
                        Int(subscriptions[Int(subscriptions[position].sharedFrom)].original))
                ])
        }
        return position
    }

    func subscriptionPosition(of transaction: Int) -> Int? {
        let record = transactions[transaction]
        let group = shelf[Int(record.product)].group
        guard group >= 0 else { return nil }
        return accounts[Int(record.account)].subscriptions.first {
            subscriptions[Int($0)].group == group
                && subscriptions[Int($0)].original == record.original
        }.map { Int($0) }
    }

    func idOfTransaction(_ position: Int) -> String {
        String(numbers.firstTransaction + Int64(position))
    }

    func idOfLineItem(_ position: Int32) -> String? {
        position < 0 ? nil : String(numbers.firstLineItem + Int64(position))
    }

    func appTransactionID(_ account: Int) -> String {
        String(numbers.firstAppTransaction + Int64(account))
    }

    /// The account that a transaction id, an original id or an app transaction id belongs to.
    func accountPosition(anyTransactionID id: String) throws(StoreError) -> Int {
        if let account = numbers.position(
            of: id, from: numbers.firstAppTransaction, count: accounts.count)
        {
            return account
        }
        return Int(transactions[try transactionPosition(id)].account)
    }

    mutating func storefrontPosition(_ storefront: Storefront) -> Int32 {
        if let known = storefronts.firstIndex(of: storefront) { return Int32(known) }
        storefronts.append(storefront)
        return Int32(storefronts.count - 1)
    }

    /// Marks a transaction as changed, so that a history asked for again shows it.
    mutating func touch(_ transaction: Int) {
        revision += 1
        transactions[transaction].revision = revision
    }
}
