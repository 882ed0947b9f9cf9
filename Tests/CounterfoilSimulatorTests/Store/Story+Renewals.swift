// SPDX-License-Identifier: Apache-2.0
import CounterfoilApple
import CounterfoilCore
import CounterfoilSimulator

extension Story {
    static let purchases: [Story] = [
        Story("buy", "a product that is no subscription", ["ONE_TIME_CHARGE"]) {
            try $0.buy("coins_100", by: "u1")
        },
        Story("buy", "reported to the device as cancelled", ["ONE_TIME_CHARGE"]) {
            var options = PurchaseOptions()
            options.isReportedCancelled = true
            try $0.buy("coins_100", by: "u1", options)
        },
        Story("buy", "waiting for a parent", []) {
            var options = PurchaseOptions()
            options.asksToBuy = true
            try $0.buy("coins_100", by: "u1", options)
        },
        Story("buy", "a first subscription of the group", ["SUBSCRIBED/INITIAL_BUY"]) {
            try $0.buy("gold_monthly", by: "u1")
        },
        Story(
            "buy", "a first subscription with a code, as formerly", ["OFFER_REDEEMED/INITIAL_BUY"]
        ) {
            $0.settings.announcesOffersAsBefore = true
            try $0.buy("gold_monthly", by: "u1", TestShop.offer(.code(referenceName: "NEWONLY")))
        },
        Story(
            "buy", "a subscription after it ended", ["SUBSCRIBED/RESUBSCRIBE"], before: expire
        ) { try $0.buy("gold_monthly", by: "u1") },
        Story(
            "buy", "after it ended with a win-back offer, as formerly",
            ["OFFER_REDEEMED/RESUBSCRIBE"], before: expire
        ) {
            $0.settings.announcesOffersAsBefore = true
            try $0.buy("gold_monthly", by: "u1", TestShop.offer(.winBack(id: "back")))
        },
        Story(
            "approve", "what waited for a parent", ["ONE_TIME_CHARGE"],
            before: {
                $0.settings.isAskToBuyOn = true
                try $0.buy("coins_100", by: "u1")
            }
        ) { try $0.approve($0.waitingPurchases[0].id) },
        Story(
            "decline", "what waited for a parent", [],
            before: {
                $0.settings.isAskToBuyOn = true
                try $0.buy("coins_100", by: "u1")
            }
        ) { try $0.decline($0.waitingPurchases[0].id) },
        Story(
            "resolvePurchase", "an interrupted purchase", ["ONE_TIME_CHARGE"],
            before: {
                $0.settings.isInterruptionOn = true
                try $0.buy("coins_100", by: "u1")
            }
        ) { try $0.resolvePurchase($0.waitingPurchases[0].id) },
    ]

    static let renewals: [Story] = [
        Story("advance", "over the end of a period", ["DID_RENEW"], before: subscribe) {
            try $0.advance(days: 31)
        },
        Story("renew", "a running period", ["DID_RENEW"], before: subscribe) {
            try $0.renew(try first($0))
        },
        Story(
            "advance", "over the end of a period that is not paid", ["DID_FAIL_TO_RENEW"],
            before: {
                try subscribe(&$0)
                try $0.setBillingFailing(true, of: "u1")
            }
        ) { try $0.advance(days: 31) },
        Story(
            "advance", "the same with a grace period", ["DID_FAIL_TO_RENEW/GRACE_PERIOD"],
            before: {
                $0.settings.graceDays = 16
                try subscribe(&$0)
                try $0.setBillingFailing(true, of: "u1")
            }
        ) { try $0.advance(days: 31) },
        Story(
            "advance", "over the end of the grace period", ["GRACE_PERIOD_EXPIRED"],
            before: failInGrace
        ) { try $0.advance(days: 16) },
        Story(
            "advance", "over sixty days of billing retry", ["EXPIRED/BILLING_RETRY"], before: fail
        ) { try $0.advance(days: 60) },
        Story(
            "resolveBilling", "in billing retry", ["DID_RENEW/BILLING_RECOVERY"], before: fail
        ) { try $0.resolveBilling(try first($0)) },
        Story(
            "buy", "the product whose payment is missing", ["DID_RENEW/BILLING_RECOVERY"],
            before: failInGrace
        ) { try $0.buy("gold_monthly", by: "u1") },
        Story(
            "setAutoRenew", "off", ["DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED"],
            before: subscribe
        ) { try $0.setAutoRenew(false, of: try first($0)) },
        Story(
            "setAutoRenew", "on again", ["DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_ENABLED"],
            before: {
                try subscribe(&$0)
                try $0.setAutoRenew(false, of: try first($0))
            }
        ) { try $0.setAutoRenew(true, of: try first($0)) },
        Story(
            "setAutoRenew", "off in billing retry",
            ["DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED", "EXPIRED/VOLUNTARY"], before: fail
        ) { try $0.setAutoRenew(false, of: try first($0)) },
        Story(
            "advance", "over the end with renewal off", ["EXPIRED/VOLUNTARY"],
            before: {
                try subscribe(&$0)
                try $0.setAutoRenew(false, of: try first($0))
            }
        ) { try $0.advance(days: 31) },
        Story("expire", "as the customer's wish", ["EXPIRED/VOLUNTARY"], before: subscribe) {
            try $0.expire(try first($0))
        },
        Story("expire", "for another reason", ["EXPIRED"], before: subscribe) {
            try $0.expire(try first($0), reason: .other)
        },
        Story(
            "advance", "over the end with a product taken from sale",
            ["EXPIRED/PRODUCT_NOT_FOR_SALE"],
            before: {
                try subscribe(&$0)
                try $0.setForSale(false, product: "gold_monthly")
            }
        ) { try $0.advance(days: 31) },
    ]
}
