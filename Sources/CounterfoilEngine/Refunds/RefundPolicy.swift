// SPDX-License-Identifier: Apache-2.0

/// What an app's owner decided about refunds. Goods are taken back in any case; this is about what
/// is no longer there.
package struct RefundPolicy: Hashable, Sendable {
    /// By currency, below which refunded amount (in thousandths) a shortfall is written off and not
    /// owed.
    package var writesOffBelow: [String: Int64]

    /// From how many refunds in ``Limits/refundHistory`` on an event suggests to look at the customer;
    /// nil for never. Nothing is done by itself.
    package var suggestsBanFrom: Int64?

    package init(writesOffBelow: [String: Int64] = [:], suggestsBanFrom: Int64? = nil) {
        self.writesOffBelow = writesOffBelow
        self.suggestsBanFrom = suggestsBanFrom
    }
}
