// SPDX-License-Identifier: Apache-2.0

package import CounterfoilCore

/// All that Apple ever said of refunds of one transaction, whatever of it stands now.
///
/// It only grows by what copies say, so it is the same in whatever order they come.
package struct RefundHistory: Hashable, Sendable {
    /// One refund. A receipt tells its second only, so seconds tell refunds apart.
    package struct Refund: Hashable, Sendable {
        package let second: Int64

        /// The last signature of a copy that told it.
        package fileprivate(set) var lastSigned: Instant
    }

    /// In order of their seconds.
    package private(set) var refunds: [Refund] = []

    /// When Apple signed that a refund is undone, in order.
    package private(set) var reversals: [Instant] = []

    package init() {}

    /// A copy told a refund.
    package mutating func addRefund(at date: Instant, signed: Instant) {
        let second = date.wholeSeconds
        if let place = refunds.firstIndex(where: { $0.second == second }) {
            refunds[place].lastSigned = max(refunds[place].lastSigned, signed)
        } else {
            refunds.append(Refund(second: second, lastSigned: signed))
            refunds.sort { $0.second < $1.second }
            // The earliest stay, whatever comes in between.
            refunds.removeLast(max(0, refunds.count - Limits.refundsPerTransaction))
        }
    }

    /// Apple said that the refund before this signature is undone.
    package mutating func addReversal(signed: Instant) {
        guard !reversals.contains(signed) else { return }
        reversals.append(signed)
        reversals.sort()
        reversals.removeLast(max(0, reversals.count - Limits.refundsPerTransaction))
    }

    package mutating func join(_ other: RefundHistory) {
        for refund in other.refunds {
            let date = Instant(secondsSinceEpoch: refund.second)
            addRefund(at: date, signed: refund.lastSigned)
        }
        for reversal in other.reversals { addReversal(signed: reversal) }
    }

    // MARK: Intervals

    /// A time during which the buyer had the money back: later than its first second, and not later
    /// than its last, if it has ended.
    package struct Interval: Hashable, Sendable {
        package let after: Int64
        package let through: Int64?

        package init(after: Int64, through: Int64?) {
            self.after = after
            self.through = through
        }

        package func contains(_ second: Int64) -> Bool {
            after < second && (through.map { second <= $0 } ?? true)
        }
    }

    /// When the transaction was refunded, as far as that is known.
    ///
    /// A refund ends when Apple signed its reversal; it goes over into the next one where none is known,
    /// since Apple may give one refund another date. If it is over and no reversal says since when, only
    /// a copy that was fetched, it ended with the last copy that still told it: what was bought
    /// between may be a restore as well, and goods are not given twice.
    ///
    /// - Parameter isRefunded: Whether the last one stands.
    package func intervals(isRefunded: Bool) -> [Interval] {
        refunds.indices.map { index in
            let refund = refunds[index]
            let next = index + 1 < refunds.count ? refunds[index + 1].second : nil
            if next == nil, isRefunded { return Interval(after: refund.second, through: nil) }
            let reversal = reversals.first { $0 > refund.lastSigned }?.wholeSeconds
            let end =
                switch (reversal, next) {
                case (let reversal?, let next?): min(reversal, next)
                case (let end?, nil), (nil, let end?): end
                case (nil, nil): refund.lastSigned.wholeSeconds
                }
            return Interval(after: refund.second, through: end)
        }
    }

    /// When Apple signed the reversal of the last refund; nil while it stands, or if only a copy that was
    /// fetched says that it is over.
    package var lastReversal: Instant? {
        guard let last = refunds.map(\.lastSigned).max() else { return reversals.last }
        return reversals.first { $0 > last }
    }
}

// MARK: In its column

extension RefundHistory {
    /// `second:lastSigned` of each refund, and `/signed` of each reversal, apart by spaces.
    var text: String {
        let parts =
            refunds.map { "\($0.second):\($0.lastSigned.millisecondsSinceEpoch)" }
            + reversals.map { "/\($0.millisecondsSinceEpoch)" }
        return parts.joined(separator: " ")
    }

    /// - Returns: nil for anything that ``text`` does not write.
    init?(text: String) {
        self.init()
        for part in text.split(separator: " ") {
            if part.first == "/" {
                guard let signed = Int64(part.dropFirst()) else { return nil }
                addReversal(signed: Instant(millisecondsSinceEpoch: signed))
                continue
            }
            let numbers = part.split(separator: ":").map { Int64($0) }
            guard numbers.count == 2, let second = numbers[0], let signed = numbers[1] else {
                return nil
            }
            addRefund(
                at: Instant(secondsSinceEpoch: second),
                signed: Instant(millisecondsSinceEpoch: signed))
        }
    }
}

extension TransactionRecord {
    /// What the groups tell of the history by themselves, which is all of it for most transactions.
    var refundsInGroups: RefundHistory {
        var history = RefundHistory()
        if let terms = lastRefundTerms {
            history.addRefund(at: terms.value.date, signed: terms.source.signedDate)
        }
        if let revocation {
            let signed = revocation.source.signedDate
            if let date = revocation.value.date {
                history.addRefund(at: date, signed: signed)
            } else if revocation.source.rank == Self.notificationRank {
                history.addReversal(signed: signed)
            }
        }
        return history
    }

    /// The rank of a notification: one without a revocation takes part in that group only if it says
    /// that a refund was undone.
    private static let notificationRank: Int64 = 4
}
