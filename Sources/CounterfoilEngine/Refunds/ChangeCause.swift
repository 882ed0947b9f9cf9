// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilStore

/// What a change of a sale's goods came to, in words that follow from Apple's facts and not from the
/// order in which they came (docs/refunds.md, "Ids").
///
/// The ids that are told outside follow from it. So after a restored backup a change that brings the
/// sale to where the game knows it already has the id that the game knows.
enum ChangeCause {
    /// - Parameters:
    ///   - standing: How the sale stands now.
    ///   - goods: Whether goods or rights change; else the money alone does.
    ///   - refunded: How much of the price is refunded altogether.
    ///   - earlier: The causes of the sale's earlier changes.
    static func of(
        _ standing: Family.Standing, goods: Bool, refunded: Money?, members: [TransactionRecord],
        earlier: [String?]
    ) -> String {
        var cause = state(standing, members, earlier)
        if !goods, let refunded {
            cause = "price \(refunded.amountMilli) \(refunded.currency) \(cause)"
        }
        let repeats = earlier.filter { $0?.prefix { $0 != "#" } ?? "" == cause }.count
        return repeats == 0 ? cause : "\(cause)#\(repeats)"
    }

    private static func state(
        _ standing: Family.Standing, _ members: [TransactionRecord], _ earlier: [String?]
    ) -> String {
        if standing.isSurplus { return "restore" }
        if let refund = standing.revoked.largestRefund, let share = standing.share {
            let date = refund.revocation?.value.date?.wholeSeconds ?? 0
            return "refund \(share.word) \(date)"
        }
        let reversal = members.compactMap(\.refundHistory.lastReversal).max()
        if let reversal { return "reversal \(reversal.wholeSeconds)" }
        // Only a copy that was fetched says so, at a time of our own.
        let undone = earlier.compactMap(\.self).last { !$0.hasPrefix("undone") } ?? ""
        return "undone \(undone.prefix { $0 != "#" })"
    }
}
