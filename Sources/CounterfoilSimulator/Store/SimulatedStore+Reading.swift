// SPDX-License-Identifier: Apache-2.0
public import CounterfoilApple
import CounterfoilCore

/// A transaction with what servers sort and filter histories by.
public struct HistoryEntry: Hashable, Sendable {
    /// The transaction as it is now.
    public let transaction: SimulatedPurchase

    /// Grows with every change of any transaction: histories are sorted by it, and a client that asks
    /// again wants those above the last one it saw.
    public let revision: Int64

    /// Finished consumables are missing in version 1 of the history and in receipts.
    public let isFinished: Bool
}

/// What one subscription entitles to.
public struct SubscriptionStanding: Hashable, Sendable {
    /// The group.
    public let groupID: String

    /// Access is due in 1 and 4.
    public let status: SubscriptionStatus

    /// The first transaction of the chain.
    public let originalTransactionID: String

    /// The newest transaction.
    public let transaction: SimulatedPurchase

    /// The renewal state.
    public let renewal: SimulatedRenewal
}

/// What the store knows, signed now. `anyTransactionID` is a transaction's id, an original id or an
/// app transaction id.
extension SimulatedStore {
    /// How many transactions there have been.
    public var transactionCount: Int { transactions.count }

    /// One transaction.
    ///
    /// - Throws: `transaction.unknown`.
    public func transaction(_ id: String) throws(StoreError) -> SimulatedPurchase {
        purchase(at: try transactionPosition(id))
    }

    /// All transactions of an account, the oldest first.
    ///
    /// - Throws: `account.unknown`.
    public func transactions(of account: String) throws(StoreError) -> [SimulatedPurchase] {
        visible(try accountPosition(account)).map(purchase(at:))
    }

    /// Transactions that the app has not finished, the oldest first.
    ///
    /// - Throws: `account.unknown`.
    public func unfinished(of account: String) throws(StoreError) -> [SimulatedPurchase] {
        visible(try accountPosition(account))
            .filter { !transactions[$0].flags.contains(.isFinished) }.map(purchase(at:))
    }

    /// What StoreKit 2 calls current entitlements: non-consumables, running subscriptions and each
    /// non-renewing subscription's newest transaction; never consumables and nothing taken back.
    ///
    /// - Throws: `account.unknown`.
    public func entitlements(of account: String) throws(StoreError) -> [SimulatedPurchase] {
        let position = try accountPosition(account)
        var newest: [Int32: Int] = [:]
        for transaction in visible(position) where transactions[transaction].revocation == nil {
            switch shelf[Int(transactions[transaction].product)].product.kind {
            case .consumable, .autoRenewableSubscription: break
            case .nonConsumable, .nonRenewingSubscription:
                newest[transactions[transaction].product] = transaction
            }
        }
        let running = accounts[position].subscriptions.map { subscriptions[Int($0)] }
            .filter { $0.state == .active || $0.state == .grace }
            .map { Int($0.latest) }
        return (newest.values + running).sorted().map(purchase(at:))
    }

    /// Everything that a customer has bought or been shared, least recently changed first.
    ///
    /// - Throws: `transaction.unknown`.
    public func history(anyTransactionID id: String) throws(StoreError) -> [HistoryEntry] {
        visible(try accountPosition(anyTransactionID: id))
            .sorted { transactions[$0].revision < transactions[$1].revision }
            .map {
                HistoryEntry(
                    transaction: purchase(at: $0), revision: transactions[$0].revision,
                    isFinished: transactions[$0].flags.contains(.isFinished))
            }
    }

    /// The transactions of one chain, the oldest first.
    ///
    /// - Throws: `transaction.unknown`.
    public func history(original id: String) throws(StoreError) -> [SimulatedPurchase] {
        let original = Int(transactions[try transactionPosition(id)].original)
        return chain(of: original).filter { !transactions[$0].flags.contains(.isDeleted) }
            .map(purchase(at:))
    }

    /// The standing of every subscription of a customer, the family's too.
    ///
    /// - Throws: `transaction.unknown`.
    public func statuses(
        anyTransactionID id: String
    ) throws(StoreError) -> [SubscriptionStanding] {
        accounts[try accountPosition(anyTransactionID: id)].subscriptions.map { Int($0) }
            .filter { !transactions[Int(subscriptions[$0].latest)].flags.contains(.isDeleted) }
            .map(standing)
    }

    /// The standing of the subscription that a transaction belongs to.
    ///
    /// - Throws: `transaction.unknown`, `subscription.unknown`.
    public func standing(of transactionID: String) throws(StoreError) -> SubscriptionStanding {
        standing(try subscriptionPosition(transactionID))
    }

    /// What a customer was refunded, the earliest first.
    ///
    /// - Throws: `transaction.unknown`.
    public func refunds(anyTransactionID id: String) throws(StoreError) -> [HistoryEntry] {
        try history(anyTransactionID: id)
            .filter { $0.transaction.revocation != nil }
            .sorted {
                let dates = [$0, $1].map { $0.transaction.revocation?.date ?? now }
                return dates[0] == dates[1] ? $0.revision < $1.revision : dates[0] < dates[1]
            }
    }

    /// The transactions of an order that the customer was mailed; empty for an unknown order.
    public func orderLookup(_ orderID: String) -> [SimulatedPurchase] {
        guard let position = OrderNumber.position(of: orderID), position < transactions.count,
            !transactions[position].flags.contains(.isDeleted), orderID == order(of: position)
        else { return [] }
        return [purchase(at: position)]
    }

    /// The order that the customer was mailed for a transaction; nil for family members and restores.
    ///
    /// - Throws: `transaction.unknown`.
    public func orderID(of transactionID: String) throws(StoreError) -> String? {
        order(of: try transactionPosition(transactionID))
    }

    /// How the customer came to own the app.
    ///
    /// - Throws: `transaction.unknown`.
    public func appTransaction(
        anyTransactionID id: String
    ) throws(StoreError) -> SimulatedAppTransaction {
        appTransaction(at: try accountPosition(anyTransactionID: id))
    }

    /// The name of the account that an id belongs to.
    ///
    /// - Throws: `transaction.unknown`.
    public func accountName(anyTransactionID id: String) throws(StoreError) -> String {
        accounts[try accountPosition(anyTransactionID: id)].name
    }

    func visible(_ account: Int) -> [Int] {
        accounts[account].transactions.map { Int($0) }
            .filter { !transactions[$0].flags.contains(.isDeleted) }
    }

    func standing(_ position: Int) -> SubscriptionStanding {
        let record = subscriptions[position]
        return SubscriptionStanding(
            groupID: catalog.groups[Int(record.group)].id, status: status(at: position),
            originalTransactionID: idOfTransaction(Int(record.original)),
            transaction: purchase(at: Int(record.latest)), renewal: renewal(at: position))
    }

    private func order(of position: Int) -> String? {
        transactions[position].flags.isDisjoint(with: [.isShared, .isRestored])
            ? OrderNumber.text(of: position) : nil
    }
}

/// Order ids such as customers are mailed: `M` and nine letters or digits.
private enum OrderNumber {
    private static let alphabet = Array("0123456789ABCDEFGHJKLMNPQRSTVWXY".utf8)
    private static let digits = 9

    /// An odd factor and its inverse among the numbers of 45 bits: orders do not count up in sight.
    private static let factor: UInt64 = 0x0B5_2E8A_93C7_5D
    private static let mask: UInt64 = 1 << 45 - 1

    private static let inverse: UInt64 = {
        // Newton's iteration doubles the correct low bits of an inverse modulo a power of two.
        var inverse = factor
        for _ in 0..<6 { inverse = inverse &* (2 &- factor &* inverse) }
        return inverse & mask
    }()

    static func text(of position: Int) -> String {
        var rest = UInt64(position) &* factor & mask
        var letters: [UInt8] = []
        for _ in 0..<digits {
            letters.append(alphabet[Int(rest & 31)])
            rest >>= 5
        }
        return "M" + String(decoding: letters.reversed(), as: UTF8.self)
    }

    static func position(of text: String) -> Int? {
        guard text.utf8.count == digits + 1, text.utf8.first == UInt8(ascii: "M") else {
            return nil
        }
        var number: UInt64 = 0
        for letter in text.utf8.dropFirst() {
            guard let value = alphabet.firstIndex(of: letter) else { return nil }
            number = number << 5 | UInt64(value)
        }
        return Int(number &* inverse & mask)
    }
}
