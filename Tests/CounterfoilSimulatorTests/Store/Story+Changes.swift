// SPDX-License-Identifier: Apache-2.0
import CounterfoilApple
import CounterfoilCore
import CounterfoilSimulator

extension Story {
    static let changes: [Story] = [
        Story(
            "buy", "a higher level, or one of the same level and length",
            ["DID_CHANGE_RENEWAL_PREF/UPGRADE"], before: subscribeToSilver
        ) { try $0.buy("gold_monthly", by: "u1", TestShop.offer(.none)) },
        Story(
            "buy", "a lower level, or one of the same level and another length",
            ["DID_CHANGE_RENEWAL_PREF/DOWNGRADE"], before: subscribe
        ) { try $0.buy("silver_monthly", by: "u1") },
        Story(
            "buy", "the running product while another is planned", ["DID_CHANGE_RENEWAL_PREF"],
            before: {
                try subscribe(&$0)
                try $0.buy("silver_monthly", by: "u1")
            }
        ) { try $0.buy("gold_monthly", by: "u1", TestShop.offer(.none)) },
        Story(
            "buy", "the running product with renewal off",
            ["DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_ENABLED"],
            before: {
                try subscribe(&$0)
                try $0.setAutoRenew(false, of: try first($0))
            }
        ) { try $0.buy("gold_monthly", by: "u1", TestShop.offer(.none)) },
        Story("buy", "the running product with an offer", ["OFFER_REDEEMED"], before: subscribe) {
            try $0.buy("gold_monthly", by: "u1", TestShop.offer(.promotional(id: "half")))
        },
        Story(
            "buy", "a higher level with an offer", ["OFFER_REDEEMED/UPGRADE"],
            before: subscribeToSilver
        ) { try $0.buy("gold_monthly", by: "u1", TestShop.offer(.promotional(id: "half"))) },
        Story(
            "buy", "a lower level with an offer", ["OFFER_REDEEMED/DOWNGRADE"],
            before: { _ = try $0.bought("platinum_monthly") }
        ) { try $0.buy("gold_monthly", by: "u1", TestShop.offer(.promotional(id: "half"))) },
        Story(
            "raisePrice", "with consent needed", ["PRICE_INCREASE/PENDING"], before: subscribe
        ) { try $0.raisePrice(of: try first($0), to: 12_990) },
        Story(
            "raisePrice", "without consent needed", ["PRICE_INCREASE/ACCEPTED"], before: subscribe
        ) { try $0.raisePrice(of: try first($0), to: 12_990, needsConsent: false) },
        Story(
            "changePrice", "for present subscribers, with consent needed",
            ["PRICE_INCREASE/PENDING"], before: subscribe
        ) { try $0.changePrice(ofProduct: "gold_monthly", to: 12_990, consentNeeded: true) },
        Story(
            "consentToPriceIncrease", "what was asked", ["PRICE_INCREASE/ACCEPTED"],
            before: {
                try subscribe(&$0)
                try $0.raisePrice(of: try first($0), to: 12_990)
            }
        ) { try $0.consentToPriceIncrease(try first($0)) },
        Story(
            "refusePriceIncrease", "and the time to the renewal", ["EXPIRED/PRICE_INCREASE"],
            before: {
                try subscribe(&$0)
                try $0.raisePrice(of: try first($0), to: 12_990)
            }
        ) {
            try $0.refusePriceIncrease(try first($0))
            try $0.advance(days: 31)
        },
        Story("extendRenewal", "a paid period", ["RENEWAL_EXTENDED"], before: subscribe) {
            try $0.extendRenewal(try first($0), days: 14)
        },
        Story(
            "extendAllRenewals", "and a minute",
            ["RENEWAL_EXTENDED", "RENEWAL_EXTENSION/FAILURE", "RENEWAL_EXTENSION/SUMMARY"],
            before: {
                try subscribe(&$0)
                try $0.createAccount("u2")
                try $0.buy("gold_monthly", by: "u2")
            }
        ) {
            try $0.extendAllRenewals(
                ofProduct: "gold_monthly", days: 7, requestIdentifier: "r1")
            try $0.advance(to: $0.now + .seconds(60))
        },
    ]

    static let money: [Story] = [
        Story(
            "requestRefund", "twice", ["CONSUMPTION_REQUEST", "CONSUMPTION_REQUEST"],
            before: { try $0.buy("coins_100", by: "u1") }
        ) {
            try $0.requestRefund(try first($0))
            try $0.requestRefund(try first($0))
        },
        Story(
            "refund", "a product that is no subscription", ["REFUND"],
            before: { try $0.buy("coins_100", by: "u1") }
        ) { try $0.refund(try first($0)) },
        Story(
            "refund", "a running period",
            ["REFUND", "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED"], before: subscribe
        ) { try $0.refund(try first($0)) },
        Story(
            "refund", "a period that is over", ["REFUND"],
            before: {
                try subscribe(&$0)
                try $0.advance(days: 31)
            }
        ) { try $0.refund(try first($0)) },
        Story(
            "declineRefund", "what was asked for", ["REFUND_DECLINED"],
            before: {
                try $0.buy("coins_100", by: "u1")
                try $0.requestRefund(try first($0))
            }
        ) { try $0.declineRefund(try first($0)) },
        Story(
            "reverseRefund", "after a refund", ["REFUND_REVERSED"],
            before: {
                try $0.buy("coins_100", by: "u1")
                try $0.refund(try first($0))
            }
        ) { try $0.reverseRefund(try first($0)) },
    ]

    static func family(_ store: inout SimulatedStore, _ product: String) throws {
        try store.createAccount("u2")
        try store.createFamily(["u1", "u2"])
        _ = try store.bought(product)
    }

    static let families: [Story] = [
        Story(
            "shareWithFamily", "a non-consumable, for each member", ["ONE_TIME_CHARGE"],
            before: { try family(&$0, "unlock_all") }
        ) { try $0.shareWithFamily(try first($0)) },
        Story(
            "shareWithFamily", "a subscription, for each member", ["SUBSCRIBED/INITIAL_BUY"],
            before: { try family(&$0, "family_monthly") }
        ) { try $0.shareWithFamily(try first($0)) },
        Story(
            "advance", "over the end of a shared period", ["DID_RENEW", "DID_RENEW"],
            before: {
                try family(&$0, "family_monthly")
                try $0.shareWithFamily(try first($0))
            }
        ) { try $0.advance(days: 31) },
        Story(
            "revokeFamily", "what was shared", ["REVOKE"],
            before: {
                try family(&$0, "family_monthly")
                try $0.shareWithFamily(try first($0))
            }
        ) { try $0.revokeFamily(try first($0)) },
        Story(
            "leaveFamily", "by a member", ["REVOKE"],
            before: {
                try family(&$0, "unlock_all")
                try $0.shareWithFamily(try first($0))
            }
        ) { try $0.leaveFamily("u2") },
        Story(
            "refund", "what was shared", ["REFUND", "REVOKE"],
            before: {
                try family(&$0, "unlock_all")
                try $0.shareWithFamily(try first($0))
            }
        ) { try $0.refund(try first($0)) },
    ]

    static let others: [Story] =
        [
            Story("requestTestNotification", "at any time", ["TEST"]) {
                $0.requestTestNotification()
            },
            Story("rescindConsent", "by a parent", ["RESCIND_CONSENT"]) {
                try $0.rescindConsent("u1")
            },
            Story(
                "createExternalToken", "for a custom link", ["EXTERNAL_PURCHASE_TOKEN/CREATED"]
            ) { $0.createExternalToken(.acquisition) },
            Story(
                "createExternalToken", "and ten days without report",
                ["EXTERNAL_PURCHASE_TOKEN/UNREPORTED"]
            ) {
                $0.createExternalToken()
                try $0.advance(days: 10)
            },
            Story(
                "remindOfExternalToken", "an active one",
                ["EXTERNAL_PURCHASE_TOKEN/ACTIVE_TOKEN_REMINDER"]
            ) {
                let token = $0.createExternalToken()
                try $0.remindOfExternalToken(token.externalPurchaseID)
            },
        ]
        + SimulatedStore.AdvancedCommerceChange.allCases.map { change in
            let name: String =
                switch change {
                case .metadata: "METADATA_UPDATE"
                case .migration: "MIGRATION"
                case .migrate: "MIGRATE"
                case .price: "PRICE_CHANGE"
                }
            return Story(
                "setAdvancedCommerce", "announcing `\(change.rawValue)`", [name], before: subscribe
            ) {
                let terms = AdvancedCommerceTerms(
                    transaction: JSONObject(), renewal: JSONObject())
                try $0.setAdvancedCommerce(terms, of: try first($0), announcing: change)
            }
        }
}
