// SPDX-License-Identifier: Apache-2.0
import CounterfoilApple
import CounterfoilCore

extension ControlVerb {
    static let subscriptionVerbs = [
        ControlVerb("set_auto_renew", "Turn renewal of a subscription on or off.") {
            app, arguments in
            let (transaction, isOn) = (arguments.text("transaction"), arguments.flag("on"))
            try arguments.finish()
            try app.store.setAutoRenew(isOn, of: transaction)
            return try app.standing(of: transaction)
        },
        ControlVerb("renew", "End the running period now and do what its end does.") {
            app, arguments in
            let transaction = arguments.text("transaction")
            try arguments.finish()
            try app.store.renew(transaction)
            return try app.standing(of: transaction)
        },
        ControlVerb("expire", "End a subscription now.") { app, arguments in
            let transaction = arguments.text("transaction")
            let reason = arguments.choice("reason", ExpirationWord.self)
            try arguments.finish()
            try app.store.expire(transaction, reason: reason?.intent ?? .customerCancelled)
            return try app.standing(of: transaction)
        },
        ControlVerb("set_billing", "Let the renewals of an account or a subscription fail, or not.")
        {
            app, arguments in
            let account = arguments.optionalText("account")
            let transaction = arguments.optionalText("transaction")
            let isFailing = arguments.flag("failing", default: true)
            try arguments.finish()
            switch (account, transaction) {
            case (let account?, nil):
                try app.store.setBillingFailing(isFailing, of: account)
            case (nil, let transaction?):
                try app.store.setBillingFailing(isFailing, ofSubscription: transaction)
            default:
                throw ControlError.value(
                    "account or transaction", "must be given, one of the two")
            }
            return [:]
        },
        ControlVerb("resolve_billing", "The customer pays what is missing.") { app, arguments in
            let transaction = arguments.text("transaction")
            try arguments.finish()
            try app.store.resolveBilling(transaction)
            return try app.standing(of: transaction)
        },
        ControlVerb("raise_price", "Announce a higher price for one subscription.") {
            app, arguments in
            let transaction = arguments.text("transaction")
            let price = arguments.integer("price_milli", in: 0...Limits.maximumPriceMilli)
            let needsConsent = arguments.flag("needs_consent", default: true)
            try arguments.finish()
            try app.store.raisePrice(of: transaction, to: price, needsConsent: needsConsent)
            return try app.standing(of: transaction)
        },
        ControlVerb("change_price", "Change a product's price, for subscribers too if told how.") {
            app, arguments in
            let product = arguments.text("product")
            let price = arguments.integer("price_milli", in: 0...Limits.maximumPriceMilli)
            let consentNeeded = arguments.optionalFlag("needs_consent")
            try arguments.finish()
            let count = try app.store.changePrice(
                ofProduct: product, to: price, consentNeeded: consentNeeded)
            return ["subscribers": .integer(count)]
        },
        ControlVerb("consent", "The customer agrees to a higher price.") { app, arguments in
            let transaction = arguments.text("transaction")
            try arguments.finish()
            try app.store.consentToPriceIncrease(transaction)
            return try app.standing(of: transaction)
        },
        ControlVerb("refuse", "The customer refuses a higher price.") { app, arguments in
            let transaction = arguments.text("transaction")
            try arguments.finish()
            try app.store.refusePriceIncrease(transaction)
            return try app.standing(of: transaction)
        },
        ControlVerb("extend", "Extend the running period by days.") { app, arguments in
            let transaction = arguments.text("transaction")
            let days = arguments.integer("days", in: 1...Limits.maximumExtensionDays)
            try arguments.finish()
            try app.store.extendRenewal(transaction, days: days)
            return try app.standing(of: transaction)
        },
        ControlVerb("extend_all", "Extend all subscribers of a product by days.") {
            app, arguments in
            let product = arguments.text("product")
            let days = arguments.integer("days", in: 1...Limits.maximumExtensionDays)
            let identifier = arguments.text("request_identifier")
            let storefronts = arguments.texts("storefronts", isRequired: false)
            try arguments.finish()
            try app.store.extendAllRenewals(
                ofProduct: product, days: days, requestIdentifier: identifier,
                storefronts: storefronts)
            return ["request_identifier": .string(identifier)]
        },
        ControlVerb("subscription", "How a subscription stands now.") { app, arguments in
            let transaction = arguments.text("transaction")
            try arguments.finish()
            return try app.standing(of: transaction)
        },
    ]

    private enum ExpirationWord: String, CaseIterable {
        case voluntary
        case billing
        case priceIncrease = "price_increase"
        case notForSale = "not_for_sale"
        case other

        var intent: ExpirationIntent {
            switch self {
            case .voluntary: .customerCancelled
            case .billing: .billingError
            case .priceIncrease: .priceIncreaseNotAccepted
            case .notForSale: .productUnavailable
            case .other: .other
            }
        }
    }
}

extension SimulatedAppStore {
    /// A subscription's state as the server's interface tells it.
    func standing(of transactionID: String) throws(StoreError) -> JSONValue {
        let standing = try store.standing(of: transactionID)
        return [
            "status": .integer(standing.status.rawValue),
            "original_transaction_id": .string(standing.originalTransactionID),
            "transaction_id": .string(standing.transaction.transactionID),
            "product": .string(standing.transaction.productID),
            "transaction": standing.transaction.transactionPayload,
            "renewal": standing.renewal.payload,
        ]
    }
}
