// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
package import CounterfoilDatabase

extension Schema {
    /// One transaction of Apple's, joined from all its copies. Each group of columns keeps the
    /// source that won it: when Apple signed that copy, the rank of its kind, and its digest.
    static let transactions = Table(
        "transactions",
        columns: [.app, .environment, .transactionID("transaction_id")]
            + identityGroup + expiryGroup + upgradeGroup + priceGroup + ownershipGroup
            + revocationGroup + [
                .customerKey.nullable, .word("owner_source").nullable, .sale.nullable,
                .word("parked_reason").nullable, .appleText("parked_on").nullable, .createdAt,
            ],
        primaryKey: ["app", "environment", "transaction_id"],
        indexes: [
            .init(["app", "environment", "original_transaction_id"]),
            .init(["app", "environment", "sale"]),
            .init(
                ["app", "environment", "parked_reason", "parked_on", "transaction_id"],
                where: "parked_reason IS NOT NULL"),
        ])

    private static let identityGroup: [Column] =
        [
            .transactionID("original_transaction_id"), .productID, .integer("quantity"),
            .instant("purchase_date"), .instant("original_purchase_date"),
            .appleText("type").nullable,
            .appleText("web_order_line_item_id").nullable,
        ] + source(of: "identity")

    private static let upgradeGroup: [Column] =
        [.boolean("is_upgraded").nullable] + source(of: "upgrade").map(\.nullable)

    private static let expiryGroup: [Column] =
        [.instant("expires_date").nullable] + source(of: "expiry").map(\.nullable)

    private static let priceGroup: [Column] =
        [
            .integer("price_milli").nullable, .appleText("currency").nullable,
            .appleText("storefront").nullable,
        ] + source(of: "price").map(\.nullable)

    private static let ownershipGroup: [Column] =
        [
            .uniqueID("app_account_token").nullable, .appleText("ownership_type").nullable,
        ] + source(of: "ownership").map(\.nullable)

    private static let revocationGroup: [Column] =
        [
            .instant("revocation_date").nullable, .integer("revocation_reason").nullable,
            .appleText("revocation_type").nullable, .integer("revocation_percentage").nullable,
        ] + source(of: "revocation").map(\.nullable)

    /// The three columns of a group's source.
    private static func source(of group: String) -> [Column] {
        [
            .instant("\(group)_signed_date"), .integer("\(group)_rank"),
            .bytes("\(group)_evidence", maximum: 32),
        ]
    }

    /// What is sold once: the row that settling locks.
    package static let sales = Table(
        "sales",
        columns: [
            .app, .environment, .sale, .word("type"), .productID, .customerKey.nullable,
            .integer("revision"), .createdAt,
        ],
        primaryKey: ["app", "environment", "sale"], layout: .keyed)

    /// An original transaction of a non-consumable: the row that settling locks before it looks at the
    /// other transactions, whose first owner is the owner of all.
    static let originals = Table(
        "originals",
        columns: [.app, .environment, .transactionID("original_transaction_id")],
        primaryKey: ["app", "environment", "original_transaction_id"], layout: .keyed)

    /// Every identity by which a sale is known; unique, so no two sales can share one.
    static let saleKeys = Table(
        "sale_keys",
        columns: [.app, .environment, .text("identity", maximum: Limits.sale), .sale],
        primaryKey: ["app", "environment", "identity"], layout: .keyed)

    /// The goods owed for a sale; revision 0 is the grant, later ones are refunds and reversals.
    static let grants = Table(
        "grants",
        columns: [
            .app, .environment, .sale, .integer("revision"), .uniqueID("grant_id"),
            .customerKey.nullable, .transactionID("transaction_id"), .productID,
            .integer("quantity"),
            .text("goods", maximum: Limits.goods).nullable, .word("catalogue_version").nullable,
            .word("state"), .word("parked_reason").nullable,
            .createdAt, .instant("updated_at"), .text("note", maximum: Limits.message).nullable,
        ],
        primaryKey: ["app", "environment", "sale", "revision"], uniqueKeys: [["grant_id"]],
        indexes: [
            .init(["app", "environment", "state", "grant_id"])
        ])
}
