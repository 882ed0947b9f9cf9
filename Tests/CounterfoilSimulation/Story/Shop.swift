// SPDX-License-Identifier: Apache-2.0
import CounterfoilApple
import CounterfoilCore
import CounterfoilEngine
import CounterfoilReferenceModel
import CounterfoilSimulator
import CounterfoilTrust

/// The app of the simulation: what it sells at which time, told twice, to the engine as a catalogue
/// file and to the model in the model's own words.
enum Shop {
    // swift-format-ignore: NeverUseForceTry
    static let app = try! AppID("game")

    /// The most coins that credits may fill a wallet up to.
    private static let maximum: Int64 = 1500

    /// Seconds after which a bonus is gone.
    private static let bonusLasts: Int64 = 60

    /// What the owner of the shop of a seed decided about wallets.
    static func rules(_ seed: UInt64) -> HouseRules {
        let choice = Int(seed / 2)
        let orders = HouseRules.Order.allCases
        return HouseRules(
            order: orders[choice % orders.count], purchasesPayDebt: choice % 4 != 3,
            debtBlocksSpending: choice % 5 == 4, maximum: maximum, bonusLasts: bonusLasts * 1000,
            writesOffBelow: choice % 7 == 6 ? 2000 : 0)
    }

    /// One edition of the catalogue.
    struct Edition {
        let file: String
        let products: [String: Assortment.Product]
    }

    /// Later editions change what products are worth, and name one that was sold before it was known.
    static let editions = [
        edition(coins: 100, hasLate: false), edition(coins: 100, hasLate: true),
        edition(coins: 777, hasLate: true),
    ]

    private static func edition(coins: Int64, hasLate: Bool) -> Edition {
        let late = """
            { id: "late", type: "consumable", goods: [{ unit: "coins", amount: 7 }] },
            """
        let file = """
            {
              units: [
                { id: "coins", kind: "currency", held_by: "counterfoil",
                  maximum_balance: \(maximum), bonus_expires_after: "PT\(bonusLasts)S" },
                { id: "sword", kind: "item", held_by: "game" },
              ],
              products: [
                { id: "coins", type: "consumable",
                  goods: [{ unit: "coins", amount: \(coins), bonus: 10 }] },
                { id: "sword", type: "consumable", goods: [{ unit: "sword", amount: 1 }] },
                { id: "noads", type: "non_consumable", goods: [{ entitlement: "no_ads" }] },
                { id: "starter", type: "non_consumable",
                  goods: [{ entitlement: "founder" }, { unit: "coins", amount: \(coins * 5) }] },
                { id: "pass", type: "non_renewing", goods: [{ entitlement: "pass", duration: "P30D" }] },
                { id: "month", type: "non_renewing", goods: [{ entitlement: "pass", duration: "P1M" }] },
                { id: "vip", type: "auto_renewable", goods: [{ entitlement: "vip" }] },
                \(hasLate ? late : "")
              ],
            }
            """
        var products: [String: Assortment.Product] = [
            "coins": .init(.consumable, [.unit("coins", paid: coins, bonus: 10, isOurs: true)]),
            "sword": .init(.consumable, [.unit("sword", paid: 1, bonus: 0, isOurs: false)]),
            "noads": .init(.nonConsumable, [.right("no_ads", period: nil)]),
            "starter": .init(
                .nonConsumable,
                [
                    .right("founder", period: nil),
                    .unit("coins", paid: coins * 5, bonus: 0, isOurs: true),
                ]),
            "pass": .init(.nonRenewing, [.right("pass", period: "P30D")]),
            "month": .init(.nonRenewing, [.right("pass", period: "P1M")]),
            "vip": .init(.autoRenewable, [.right("vip", period: nil)]),
        ]
        if hasLate {
            products["late"] = .init(
                .consumable, [.unit("coins", paid: 7, bonus: 0, isOurs: true)])
        }
        return Edition(file: file, products: products)
    }

    /// What can be bought, the frequent ones several times.
    static let wares: [(product: String, type: SaleKind)] = [
        ("coins", .consumable), ("coins", .consumable), ("sword", .consumable),
        ("noads", .nonConsumable), ("starter", .nonConsumable), ("starter", .nonConsumable),
        ("pass", .nonRenewing), ("pass", .nonRenewing), ("month", .nonRenewing),
        ("vip", .autoRenewable), ("late", .consumable),
    ]

    /// What can be ordered.
    static let orderable = ["coins", "coins", "sword", "pass", "late"]

    /// The policy with an edition of the catalogue, and the model's words for the same edition.
    static func policy(
        _ edition: Edition, deliverFrom: Instant, rules: HouseRules, authority: Authority
    ) throws -> (policy: AppPolicy, assortment: Assortment) {
        let catalogue = try Catalogue(reading: Array(edition.file.utf8))
        let anchors = try authority.rootCertificates.map { try TrustAnchor(parsing: $0) }
        let policy = AppPolicy(
            app: app, bundleID: try BundleID(AppStore.bundle), isSimulated: true,
            catalogue: catalogue, sandbox: .isolate,
            deliverFrom: [.production: deliverFrom, .sandbox: deliverFrom],
            // A story takes some minutes.
            orders: OrderPolicy(openFor: .seconds(60), pendingFor: .seconds(120)),
            verifier: EvidenceVerifier(trusting: TrustStore(anchors: anchors)),
            wallet: WalletPolicy(
                order: consumption(rules.order), purchasesPayDebt: rules.purchasesPayDebt,
                debtBlocksSpending: rules.debtBlocksSpending),
            refunds: RefundPolicy(writesOffBelow: ["USD": rules.writesOffBelow]))
        return (policy, Assortment(version: catalogue.version, products: edition.products))
    }

    private static func consumption(_ order: HouseRules.Order) -> ConsumptionOrder {
        switch order {
        case .bonusFirst: .bonusFirst
        case .paidFirst: .paidFirst
        case .oldestFirst: .oldestFirst
        }
    }
}
