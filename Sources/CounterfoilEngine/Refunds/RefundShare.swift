// SPDX-License-Identifier: Apache-2.0

import CounterfoilApple
import CounterfoilCore
import CounterfoilStore

/// How much of a sale Apple has taken back, by all that is known of its transactions
/// (docs/refunds.md, "How much").
struct RefundShare: Hashable, Comparable {
    /// Thousandths of a percent of the whole quantity, as `revocationPercentage` counts.
    private let percentageMilli: Int64

    /// Whether no money went back and only access ended.
    let isOfAccessOnly: Bool

    /// Whether Apple gave money back.
    let isOfMoney: Bool

    private static let all: Int64 = 100_000

    /// A refund of nothing.
    static let none = RefundShare(percentageMilli: 0, isOfAccessOnly: true)

    /// A refund of everything.
    static let whole = RefundShare(percentageMilli: all, isOfAccessOnly: false)

    /// All of what was given for a purchase that turned out to be a restore: nothing was paid for it.
    static let ofNoSale = RefundShare(
        percentageMilli: all, isOfAccessOnly: false, isOfMoney: false)

    /// Whether units are left to the customer, so that a sale which had given nothing yet still gives
    /// the rest of them.
    var leavesUnits: Bool { !isOfAccessOnly && percentageMilli < Self.all }

    static func < (lhs: RefundShare, rhs: RefundShare) -> Bool {
        (lhs.percentageMilli, lhs.isOfAccessOnly ? 0 : 1)
            < (rhs.percentageMilli, rhs.isOfAccessOnly ? 0 : 1)
    }

    private init(percentageMilli: Int64, isOfAccessOnly: Bool, isOfMoney: Bool? = nil) {
        self.percentageMilli = min(max(percentageMilli, 0), Self.all)
        self.isOfAccessOnly = isOfAccessOnly
        self.isOfMoney = isOfMoney ?? !isOfAccessOnly
    }

    /// It in one word, for the cause of a change.
    var word: String { isOfAccessOnly ? "access" : String(percentageMilli) }

    /// The share of a sale; nil while none of its transactions is revoked.
    ///
    /// Of several revoked copies of one sale the largest share counts. Without a percentage the refund
    /// is of everything. Where only access ended, because the family's sharing did, because somebody
    /// else of the family had paid, or because an upgrade took the purchase's place, nothing is taken
    /// back.
    init?(of records: [TransactionRecord]) {
        let revoked = records.filter(\.isRevoked)
        guard !revoked.isEmpty else { return nil }
        let shares = revoked.filter { !$0.endsAccessOnly }
            .map { $0.refundTerms?.percentageMilli ?? Self.all }
        self.init(percentageMilli: shares.max() ?? 0, isOfAccessOnly: shares.isEmpty)
    }

    /// What goes back of an amount that the whole quantity gave.
    ///
    /// Apple rounds the share of 1 of 3 pieces to 33.333 %; so a number of pieces within 0.001 of a
    /// whole one is that. Anything else is rounded down, in the customer's favour.
    func part(of amount: Int64, quantity: Int64) -> Int64 {
        let pieces = (quantity * percentageMilli + Self.all / 2) / Self.all
        let distance = abs(quantity * percentageMilli - pieces * Self.all)
        if distance <= Self.all / 1000 { return Self.scale(amount, by: pieces, of: quantity) }
        return Self.scale(amount, by: percentageMilli, of: Self.all)
    }

    /// `amount` × `part` ÷ `whole`, rounded down, without overflow in between.
    private static func scale(_ amount: Int64, by part: Int64, of whole: Int64) -> Int64 {
        whole.dividingFullWidth(amount.multipliedFullWidth(by: part)).quotient
    }
}

extension TransactionRecord {
    fileprivate var endsAccessOnly: Bool {
        refundTerms?.type == RevocationType.familyRevoke.rawValue
            || ownership?.value.ownershipType == OwnershipType.familyShared.rawValue
            || isUpgraded?.value == true
    }
}
