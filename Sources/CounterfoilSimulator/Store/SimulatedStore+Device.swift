// SPDX-License-Identifier: Apache-2.0
import CounterfoilApple
public import CounterfoilCore

/// What happens on devices and in the App Store's own screens.
extension SimulatedStore {
    /// The app or the server finishes a transaction; a finished consumable leaves the receipt. A
    /// repeat changes nothing.
    ///
    /// - Throws: `transaction.unknown`.
    public mutating func finish(_ transactionID: String) throws(StoreError) {
        let position = try transactionPosition(transactionID)
        transactions[position].flags.insert(.isFinished)
    }

    /// Restores as the old StoreKit does: each non-consumable and each subscription's newest period
    /// comes back as a new transaction with the old original id and the old line item. Nothing is
    /// announced, and nothing was paid.
    ///
    /// - Throws: `account.unknown`.
    @discardableResult
    public mutating func restore(_ account: String) throws(StoreError) -> [SimulatedPurchase] {
        let position = try accountPosition(account)
        let sources = accounts[position].transactions.map { Int($0) }.filter(isRestorable)
        return sources.map { source in
            var record = transactions[source]
            if record.expires == nil { record.purchased = now }
            record.flags.insert(.isRestored)
            record.flags.remove(.isFinished)
            let restored = add(record)
            return purchase(at: restored)
        }
    }

    private func isRestorable(_ position: Int) -> Bool {
        let record = transactions[position]
        guard record.revocation == nil, record.flags.isDisjoint(with: [.isRestored, .isDeleted])
        else { return false }
        switch shelf[Int(record.product)].product.kind {
        case .nonConsumable: return true
        case .consumable, .nonRenewingSubscription: return false
        case .autoRenewableSubscription:
            return subscriptionPosition(of: position).map {
                Int(subscriptions[$0].latest) == position
            } ?? false
        }
    }

    /// Gives a chain of transactions another token, as the server's interface does; renewals carry it.
    /// Nil takes it away.
    ///
    /// - Throws: `transaction.unknown`, `transaction.family_shared`, `transaction.not_original`.
    public mutating func setAppAccountToken(
        _ token: UniqueID?, of originalTransactionID: String
    ) throws(StoreError) {
        let position = try transactionPosition(originalTransactionID)
        guard transactions[position].sharedFrom < 0 else {
            throw StoreError(
                .transactionShared, "transaction \(originalTransactionID) is shared by the family")
        }
        let original = Int(transactions[position].original)
        guard original == position else {
            throw StoreError(
                .transactionNotOriginal,
                "transaction \(originalTransactionID) is not the first of its chain",
                allowed: [idOfTransaction(original)])
        }
        for transaction in chain(of: original) where transactions[transaction].token != token {
            transactions[transaction].token = token
            touch(transaction)
        }
        if let subscription = subscriptionPosition(of: position) {
            subscriptions[subscription].token = token
        }
    }

    /// The transactions of a chain, the oldest first.
    func chain(of original: Int) -> [Int] {
        accounts[Int(transactions[original].account)].transactions.map { Int($0) }
            .filter { transactions[$0].original == Int32(original) }
    }

    /// Takes a transaction out of every list, as Xcode's transaction manager does. Its subscription, if
    /// any, ends without a word when it was its newest.
    ///
    /// - Throws: `transaction.unknown`.
    public mutating func delete(_ transactionID: String) throws(StoreError) {
        let position = try transactionPosition(transactionID)
        if let subscription = subscriptionPosition(of: position),
            Int(subscriptions[subscription].latest) == position
        {
            subscriptions[subscription].state = .expired
            subscriptions[subscription].flags.remove(.autoRenews)
            subscriptions[subscription].endedAt = now
            schedule(subscription)
        }
        transactions[position].flags.insert(.isDeleted)
        refundCases[Int32(position)] = nil
    }

    /// Forgets all purchases, subscriptions and whatever waits; accounts, families and the clock stay,
    /// and no id comes again.
    public mutating func clear() {
        for position in transactions.indices { transactions[position].flags.insert(.isDeleted) }
        for position in accounts.indices {
            accounts[position].transactions = []
            accounts[position].subscriptions = []
            accounts[position].intents = []
        }
        for position in subscriptions.indices { subscriptions[position].generation &+= 1 }
        pendingPurchases = []
        refundCases = [:]
        followers = [:]
        sharedCopies = [:]
        advancedCommerce = [:]
        externalTokens = []
        extensions = []
        due = DueQueue()
        outbox = []
    }
}
