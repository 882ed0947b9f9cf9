// SPDX-License-Identifier: Apache-2.0
import CounterfoilApple
import CounterfoilCore

extension ControlVerb {
    static let purchaseVerbs = [
        ControlVerb("buy", "Buy a product, with quantity, token, offer or a date in the past.") {
            app, arguments in
            let (account, product) = (arguments.text("account"), arguments.text("product"))
            let options = try purchaseOptions(&arguments)
            try arguments.finish()
            return try app.json(app.store.buy(product, by: account, options))
        },
        ControlVerb("approve", "A parent approves a purchase that waits.") { app, arguments in
            let pending = arguments.text("pending")
            try arguments.finish()
            return try app.json(app.store.approve(pending))
        },
        ControlVerb("decline", "A parent declines a purchase that waits.") { app, arguments in
            let pending = arguments.text("pending")
            try arguments.finish()
            try app.store.decline(pending)
            return [:]
        },
        ControlVerb("resolve_purchase", "The customer completes an interrupted purchase.") {
            app, arguments in
            let pending = arguments.text("pending")
            try arguments.finish()
            return try app.json(app.store.resolvePurchase(pending))
        },
        ControlVerb("pending", "Purchases that wait for a parent or for the customer.") {
            app, arguments in
            try arguments.finish()
            return ["pending": .array(app.store.pendingPurchases.map(\.json))]
        },
        ControlVerb("finish", "The app finishes a transaction.") { app, arguments in
            let transaction = arguments.text("transaction")
            try arguments.finish()
            try app.store.finish(transaction)
            return [:]
        },
        ControlVerb("promote", "The customer taps a promoted product in the App Store.") {
            app, arguments in
            let (account, product) = (arguments.text("account"), arguments.text("product"))
            try arguments.finish()
            try app.store.promote(product, to: account)
            return [:]
        },
        ControlVerb("evidence", "What a device would hand in for a transaction.") {
            app, arguments in
            let transaction = arguments.text("transaction")
            try arguments.finish()
            let purchase = app.store.purchase(at: try app.store.transactionPosition(transaction))
            return try app.evidence(of: purchase)
        },
        ControlVerb("receipt", "An account's app receipt of now, in base64.") { app, arguments in
            let account = arguments.text("account")
            let device = arguments.optionalUUID("device")
            try arguments.finish()
            let receipt = try app.appReceipt(of: account, device: device)
            return ["receipt_data": .string(Base64.encode(receipt, .standard))]
        },
        ControlVerb("transactions", "An account's transactions as they are now.") {
            app, arguments in
            let account = arguments.text("account")
            try arguments.finish()
            let record = app.store.accounts[try app.store.accountPosition(account)]
            return [
                "transactions": .array(
                    record.transactions.map { app.store.purchase(at: Int($0)).transactionPayload })
            ]
        },
        ControlVerb("set_for_sale", "Take a product from sale, or put it back.") {
            app, arguments in
            let (product, isForSale) = (arguments.text("product"), arguments.flag("for_sale"))
            try arguments.finish()
            try app.store.setForSale(isForSale, product: product)
            return [:]
        },
    ]

    private static func purchaseOptions(
        _ arguments: inout ControlArguments
    ) throws(ControlError) -> PurchaseOptions {
        var options = PurchaseOptions()
        options.quantity =
            arguments.optionalInteger("quantity", in: 1...Limits.maximumQuantity) ?? 1
        options.appAccountToken = arguments.optionalUUID("app_account_token")
        options.billingPlan = arguments.optionalText("billing_plan")
            .map { BillingPlanType(rawValue: $0) }
        options.purchaseDate = arguments.optionalInstant("purchase_date")
        options.renewalBehavior =
            arguments.choice("renewal", PurchaseOptions.RenewalBehavior.self) ?? .renewUntilNow
        options.isReportedCancelled = arguments.flag("reported_cancelled")
        options.asksToBuy = arguments.flag("ask_to_buy")
        guard let value = arguments.object("offer") else { return options }
        var reader = arguments.nested(value, "offer")
        let kind = reader.choice("type", OfferWord.self)
        let id = reader.string(
            "id", maximum: Limits.maximumNameLength, isRequired: kind?.needsID ?? false)
        reader.finish()
        options.offer =
            switch kind {
            case .promotional?: .promotional(id: id ?? "")
            case .code?: .code(referenceName: id ?? "")
            case .winBack?: .winBack(id: id ?? "")
            case .introductory?: .introductory
            case OfferWord.none?: .none
            case nil: .automatic
            }
        return options
    }

    private enum OfferWord: String, CaseIterable {
        case none, introductory, promotional, code
        case winBack = "win_back"

        var needsID: Bool { self != .none && self != .introductory }
    }
}

extension SimulatedAppStore {
    /// What a device would hand in: the signed transaction, beside what it says.
    func evidence(of purchase: SimulatedPurchase) throws -> JSONValue {
        let payload = purchase.transactionPayload
        return [
            "transaction_id": .string(purchase.transactionID),
            "original_transaction_id": .string(purchase.originalTransactionID),
            "product": .string(purchase.productID),
            "signed_transaction": .string(try signing.sign(payload)),
            "transaction": payload,
        ]
    }

    func json(_ outcome: PurchaseOutcome) throws -> JSONValue {
        var object = JSONObject()
        object.append("report", .string(outcome.report.rawValue))
        object.append("pending", .optional(outcome.pendingID))
        object.append("new", .bool(outcome.isNew))
        if let transaction = outcome.transaction {
            for member in try evidence(of: transaction).object?.members ?? [] {
                object.append(member.key, member.value)
            }
        }
        return .object(object)
    }
}

extension PendingPurchase {
    var json: JSONValue {
        [
            "pending": .string(id), "reason": .string(reason.rawValue),
            "account": .string(account), "product": .string(productID),
            "since": .string(since.rfc3339),
        ]
    }
}
