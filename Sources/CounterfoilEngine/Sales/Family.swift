// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilDatabase
import CounterfoilStore

/// A transaction with those that decide about it: of a non-consumable all of its original, else none.
///
/// They are locked together: a refund of one decides to which sale another belongs, and the first owner
/// of one is the owner of all, also of those that are other sales.
struct Family {
    /// The one in hand first, in its newest form, then the others in order of purchase.
    let members: [TransactionRecord]

    /// The sales, each with its members in order of purchase.
    private let sales: [[TransactionRecord]]
    private let keys: [String]
    private let placeOfSale: [TransactionID: Int]

    /// Keys of stored sales that are none, since what they are for turned out to be a restore.
    let surplus: [String]

    var record: TransactionRecord { members[0] }

    /// A transaction that stands alone.
    ///
    /// - Parameter type: nil where nobody knows it, and so it has no sale.
    init(alone record: TransactionRecord, _ type: SaleType?) {
        members = [record]
        surplus = []
        sales = type == nil ? [] : [[record]]
        keys = type.map { [SaleKey.of(record, type: $0)] } ?? []
        placeOfSale = type == nil ? [:] : [record.transactionID: 0]
    }

    /// - Parameter grants: Those of the original's sales.
    init(_ record: TransactionRecord, _ others: [TransactionRecord], grants: [GrantRecord]) {
        members = [record] + others
        let byID = Dictionary(uniqueKeysWithValues: members.map { ($0.transactionID, $0) })
        let rule = SalesOfOriginal(members.map { SalesOfOriginal.Purchase($0) })
        let original = record.identity.value.originalTransactionID
        let numbers = SaleNumbers(
            of: rule.sales,
            grants: grants.compactMap { grant in
                SaleKey.number(of: grant.sale.key, original).map {
                    SaleNumbers.Grant(
                        number: $0, transaction: grant.transactionID, hasGoods: grant.goods != nil)
                }
            })
        sales = rule.sales.map { $0.compactMap { byID[$0] } }
        keys = numbers.numbers.map { SaleKey.of(original, number: $0) }
        surplus = numbers.surplus.map { SaleKey.of(original, number: $0) }
        var places: [TransactionID: Int] = [:]
        for (place, ids) in rule.sales.enumerated() {
            for id in ids { places[id] = place }
        }
        placeOfSale = places
    }

    /// The key of the sale that a member belongs to; nil where nobody knows its type.
    func key(of id: TransactionID) -> String? { placeOfSale[id].map { keys[$0] } }

    func member(_ id: TransactionID) -> TransactionRecord? {
        members.first { $0.transactionID == id }
    }

    /// Whether others would make other sales if the transaction in hand were not there.
    var recordMovesOthers: Bool {
        guard members.contains(where: { !$0.refundHistory.refunds.isEmpty }) else { return false }
        let others = members.dropFirst().map { SalesOfOriginal.Purchase($0) }
        let left = sales.map { $0.map(\.transactionID).filter { $0 != record.transactionID } }
        return SalesOfOriginal(others).sales != left.filter { !$0.isEmpty }
    }

    /// How a sale stands by what is known of its members.
    struct Standing {
        /// Those that Apple refunded.
        let revoked: [TransactionRecord]

        /// Whether it turned out to be none.
        let isSurplus: Bool

        /// When what it gives was bought: with its first member, in whole seconds, since a receipt tells
        /// no more and the answer must not depend on which copy came first (promise P3).
        let boughtAt: Instant

        /// How much of it is to be taken back; nil for nothing.
        var share: RefundShare? { isSurplus ? .ofNoSale : RefundShare(of: revoked) }
    }

    /// How the sale of a key stands; nil for a key of nobody's.
    ///
    /// - Parameter transaction: The one that the sale's goods were given for.
    func standing(ofSale key: String, givenFor transaction: TransactionID) -> Standing? {
        if let place = keys.firstIndex(of: key) { return standing(at: place) }
        guard surplus.contains(key), let member = member(transaction) else { return nil }
        return Standing(
            revoked: [], isSurplus: true,
            boughtAt: member.identity.value.purchaseDate.inWholeSeconds)
    }

    /// How the sale of the transaction in hand stands.
    var standing: Standing? { placeOfSale[record.transactionID].map { standing(at: $0) } }

    private func standing(at place: Int) -> Standing {
        let members = sales[place]
        var dates = members.map(\.identity.value.purchaseDate)
        // Of the first sale even a restored copy tells when it was bought.
        if place == 0, keys[place].hasPrefix(SaleKey.originalPrefix) {
            dates += members.map(\.identity.value.originalPurchaseDate)
        }
        let first = dates.min() ?? record.identity.value.purchaseDate
        return Standing(
            revoked: members.filter(\.isRevoked), isSurplus: false,
            boughtAt: first.inWholeSeconds)
    }

    /// Whether the transaction in hand belongs to the original's first sale.
    var isOfFirstSale: Bool { placeOfSale[record.transactionID] == 0 }

    /// Whether the transaction in hand was bought anew after all earlier sales were refunded, and is no
    /// restore.
    var isBoughtAgain: Bool {
        guard let place = placeOfSale[record.transactionID], place > 0 else { return false }
        return sales[place].first?.transactionID == record.transactionID
    }
}

extension ReadTransaction {
    /// The family of a transaction whose type is known, or that stands alone.
    func family(of record: TransactionRecord, _ typing: SaleTyping) throws -> Family {
        guard case .known(let type) = typing else { return Family(alone: record, nil) }
        guard type == .nonConsumable else { return Family(alone: record, type) }
        let original = record.identity.value.originalTransactionID
        let others = try transactions(record.app, record.environment, ofOriginal: original)
            .filter { $0.transactionID != record.transactionID }
        // Whoever is alone and new was given nothing.
        let grants =
            others.isEmpty && record.sale == nil
            ? []
            : try grants(
                record.app, record.environment,
                ofSalesWithPrefix: SaleKey.prefix(of: original))
        return Family(record, others, grants: grants)
    }
}

extension SalesOfOriginal.Purchase {
    fileprivate init(_ record: TransactionRecord) {
        self.init(
            id: record.transactionID, second: record.identity.value.purchaseDate.wholeSeconds,
            refunds: record.refundIntervals)
    }
}

extension TransactionRecord {
    /// When it was refunded, as far as that is known.
    var refundIntervals: [RefundHistory.Interval] {
        refundHistory.intervals(isRefunded: isRevoked)
    }
}

extension Instant {
    fileprivate var inWholeSeconds: Instant { Instant(secondsSinceEpoch: wholeSeconds) }
}
