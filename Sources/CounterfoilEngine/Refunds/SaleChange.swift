// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilDatabase
import CounterfoilStore

/// What is to change of a sale by what is known of its refund, beside what changed of it before.
struct SaleChange {
    /// How much was to be taken back altogether; nil for nothing.
    let share: RefundShare?

    /// The transaction whose share of the refund is the largest, where there is one.
    let refunded: TransactionRecord?
    let goods: RefundedGoods

    /// The rights that end or come back, in their new form.
    let periods: [EntitlementPeriodRecord]

    /// Credits that stood in for the sale, and go back with it.
    let credits: [CreditRecord]

    /// How much of the price is refunded altogether, and by how much the sale's revenue changes with
    /// that, so that the sum over its events is what is left of it; nil while no evidence tells the
    /// price, which is booked when one does.
    let price: (refunded: Money?, change: Money?)

    /// The earlier changes, and the goods of each.
    let history: [RefundRecord]
    private let revisions: [GrantRecord]

    /// - Parameters:
    ///   - frozen: The goods of the grant.
    ///   - record: The transaction that it was given for.
    init(
        of grant: GrantRecord, _ frozen: [Goods], _ record: TransactionRecord,
        _ standing: Family.Standing, in transaction: any ReadTransaction
    ) throws {
        let share = standing.share
        self.share = share
        refunded = standing.revoked.largestRefund
        credits = try transaction.credits(of: grant.sale)
        history = try transaction.refunds(of: grant.sale)
        let revisions = try transaction.laterGrants(of: grant.sale)
        self.revisions = revisions
        let goods = RefundedGoods(
            frozen: frozen + CreditOffset.goods(of: credits), quantity: grant.quantity,
            revisions: revisions.map { $0.frozenGoods ?? [] }, share: share)
        self.goods = goods
        periods = try transaction.entitlementPeriods(of: grant.sale)
            .filter { $0.isRevoked == goods.rightsStand }
            .map { period in
                var period = period
                period.isRevoked = !goods.rightsStand
                period.purchaseDate = standing.boughtAt
                return period
            }
        price = Self.price(of: record, grant, share, history)
    }

    private static func price(
        of record: TransactionRecord, _ grant: GrantRecord, _ share: RefundShare?,
        _ history: [RefundRecord]
    ) -> (refunded: Money?, change: Money?) {
        guard let price = record.paidPrice else { return (nil, nil) }
        let back = share?.part(of: price.amountMilli, quantity: grant.quantity) ?? 0
        let before = history.compactMap(\.price).filter { $0.currency == price.currency }
            .reduce(0) { $0 + $1.amountMilli }
        return (
            Money(amountMilli: back, currency: price.currency),
            Money(amountMilli: -back - before, currency: price.currency)
        )
    }

    /// Whether goods or rights change, and not the money alone.
    var movesGoods: Bool { !goods.change.isEmpty || !periods.isEmpty }

    var isEmpty: Bool { !movesGoods && (price.change?.amountMilli ?? 0) == 0 }

    /// Whether more comes back than is taken.
    var isReversal: Bool { goods.rightsStand || goods.givesBack }

    /// The change as its grant and its event tell it: each right once, however many customers have it.
    var goodsJSON: [JSONValue] { goods.change.map(\.json) + Self.rights(periods) }

    /// The change of one customer's rights.
    func rights(of holder: UniqueID) -> [JSONValue] {
        Self.rights(periods.filter { $0.customer == holder })
    }

    private static func rights(_ periods: [EntitlementPeriodRecord]) -> [JSONValue] {
        var told: Set<EntitlementID> = []
        return periods.filter { told.insert($0.entitlement).inserted }.map(\.rightJSON)
    }

    /// From which of the sale's revisions on nothing was undone.
    var firstOpenRevision: Int64 { revisions.firstOpenRevision }

    /// The change by which the units left that come back now.
    var leftIn: RefundRecord? {
        let first = firstOpenRevision
        return history.first { $0.revision >= first }
    }
}

extension GrantRecord {
    /// Whether a later revision gave units back.
    fileprivate var givesBack: Bool {
        (frozenGoods ?? []).contains { goods in
            guard case .unit(_, let amount, let bonus, _) = goods else { return false }
            return amount > 0 || bonus > 0
        }
    }
}

extension [GrantRecord] {
    /// From which of a sale's revisions on nothing was undone: the last reversal undid what was before it,
    /// and may have taken a smaller share anew.
    var firstOpenRevision: Int64 { last { $0.givesBack }?.revision ?? 1 }
}

extension EntitlementPeriodRecord {
    /// The right as a change of it tells, with whether it stands now.
    fileprivate var rightJSON: JSONValue {
        [
            "entitlement": .string(entitlement.rawValue), "duration": .optional(duration),
            "active": .bool(!isRevoked),
        ]
    }
}

extension [TransactionRecord] {
    /// The one whose share of the refund is the largest.
    var largestRefund: TransactionRecord? {
        self.max { one, other in
            let (a, b) = (RefundShare(of: [one]), RefundShare(of: [other]))
            return a == b ? one.transactionID > other.transactionID : (a ?? .none) < (b ?? .none)
        }
    }
}
