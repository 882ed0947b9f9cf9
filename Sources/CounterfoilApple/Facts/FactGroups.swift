// SPDX-License-Identifier: Apache-2.0

/// The parts of a transaction that are joined on their own: each comes from the newest copy whose kind
/// can carry it (docs/settlement.md, "Join").
///
/// Expiry and upgrade are apart: a receipt tells the expiry but never that an upgrade replaced the
/// transaction, and its silence must not undo that.
public struct FactGroups: OptionSet, Hashable, Sendable {
    /// The set as bits; stable, since it may be stored.
    public let rawValue: UInt8

    /// Makes a set from its bits.
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// Ids, product, type, quantity, purchase dates and the line item.
    public static let identity = FactGroups(rawValue: 1 << 0)

    /// Whether and when the money went back.
    public static let revocation = FactGroups(rawValue: 1 << 1)

    /// The end of the paid period.
    public static let expiry = FactGroups(rawValue: 1 << 2)

    /// Whether a higher level replaced the transaction.
    public static let upgrade = FactGroups(rawValue: 1 << 3)

    /// Price, currency and storefront.
    public static let price = FactGroups(rawValue: 1 << 4)

    /// How far the money went back, and why.
    public static let refundTerms = FactGroups(rawValue: 1 << 6)

    /// The account token and who paid.
    public static let tokenAndOwnership = FactGroups(rawValue: 1 << 5)

    /// Every group on its own, in the order in which they are joined.
    public static let each: [FactGroups] = [
        .identity, .revocation, .expiry, .upgrade, .price, .tokenAndOwnership, .refundTerms,
    ]

    /// All groups.
    public static let all = each.reduce(into: FactGroups()) { $0.formUnion($1) }
}
