// SPDX-License-Identifier: Apache-2.0
import CounterfoilApple
public import CounterfoilCore

extension SimulatedStore {
    /// Buys a product.
    ///
    /// One-time products announce `ONE_TIME_CHARGE`. A subscription begins, comes back, changes or is
    /// recovered, whichever the customer's state in the group makes of it; see docs/simulated-store.md.
    /// A non-consumable or a running subscription that the customer has already is handed out again.
    ///
    /// - Throws: `account.unknown`, `product.unknown`, `product.not_for_sale`, `purchase.quantity`,
    ///   `purchase.already_subscribed`, `purchase.date`, `purchase.billing_plan`, `offer.unknown`,
    ///   `offer.ineligible`.
    @discardableResult
    public mutating func buy(
        _ productID: String, by account: String, _ options: PurchaseOptions = PurchaseOptions()
    ) throws(StoreError) -> PurchaseOutcome {
        let request = try checked(productID, account, options)
        if options.asksToBuy || settings.isAskToBuyOn || accounts[request.account].isChild {
            return hold(request, for: .askToBuy)
        }
        if settings.isInterruptionOn { return hold(request, for: .interrupted) }
        return complete(request)
    }

    /// Resolves the names and refuses what the store would refuse.
    func checked(
        _ productID: String, _ account: String, _ options: PurchaseOptions
    ) throws(StoreError) -> PurchaseRequest {
        let account = try accountPosition(account)
        let product = try productPosition(productID)
        let item = shelf[product]
        guard item.product.isForSale, !withdrawnProducts.contains(Int32(product)) else {
            throw StoreError(.productNotForSale, "\(productID) is not for sale")
        }
        let isMany = [.consumable, .nonRenewingSubscription].contains(item.product.kind)
        let allowed = 1...(isMany ? Limits.maximumQuantity : 1)
        guard allowed.contains(options.quantity) else {
            throw StoreError(
                .purchaseQuantity, "\(productID) is not sold \(options.quantity) at a time",
                allowed: ["\(allowed.lowerBound)…\(allowed.upperBound)"])
        }
        if let date = options.purchaseDate {
            let rate = settings.timeRate
            let period = item.product.subscription?.period
            let end = rate.end(of: period ?? .year, from: date, times: Limits.maximumPastPeriods)
            guard date <= now, now.since(date) <= Limits.maximumAdvance,
                rate.isRealTime || period == nil || end >= now
            else {
                throw StoreError(
                    .purchaseDate, "a purchase is not dated in the future nor so far back",
                    allowed: ["up to ten years or \(Limits.maximumPastPeriods) periods back"])
            }
        }
        let offer = try chosenOffer(product, account, options)
        var request = PurchaseRequest(
            account: account, product: product, offer: offer, options: options)
        if item.product.subscription != nil {
            request.change = try subscriptionChange(request)
        }
        return request
    }

    /// Carries out what ``checked(_:_:_:)`` allowed at this same moment.
    mutating func complete(_ request: PurchaseRequest) -> PurchaseOutcome {
        let result =
            request.change.map { subscribe(request, $0) } ?? buyOnce(request)
        return PurchaseOutcome(
            report: request.options.isReportedCancelled ? .cancelled : .purchased,
            transaction: result.transaction.map { purchase(at: $0) }, pendingID: nil,
            isNew: result.isNew)
    }

    private mutating func buyOnce(
        _ request: PurchaseRequest
    ) -> (transaction: Int?, isNew: Bool) {
        let item = shelf[request.product]
        if item.product.kind == .nonConsumable,
            let owned = accounts[request.account].transactions.last(where: {
                let record = transactions[Int($0)]
                return record.product == request.product && record.revocation == nil
                    && !record.flags.contains(.isDeleted)
            })
        {
            return (Int(owned), false)
        }
        let unit = price(
            of: request.product, offer: request.offer,
            in: storefronts[Int(accounts[request.account].storefront)])
        var record = TransactionRecord(
            original: Int32(transactions.count), account: Int32(request.account),
            product: Int32(request.product), offer: Int16(request.offer ?? -1),
            storefront: accounts[request.account].storefront,
            purchased: request.options.purchaseDate ?? now)
        record.quantity = Int16(request.options.quantity)
        record.priceMilli = unit * request.options.quantity
        record.token = request.options.appAccountToken
        let position = add(record)
        announce(.oneTimeCharge, transaction: position)
        return (position, true)
    }

    mutating func add(_ record: TransactionRecord) -> Int {
        let position = transactions.count
        transactions.append(record)
        accounts[Int(record.account)].transactions.append(Int32(position))
        touch(position)
        return position
    }

    /// The price of one in thousandths of the storefront's currency.
    func price(of product: Int, offer: Int?, in storefront: Storefront) -> Int64 {
        let item = shelf[product]
        if let offer {
            let terms = item.offers[offer]
            if terms.mode == .freeTrial { return 0 }
            return terms.pricesMilli[storefront.country] ?? terms.priceMilli
        }
        return changedPrices[Int32(product)] ?? item.product.pricesMilli[storefront.country]
            ?? item.product.priceMilli
    }

    /// What the store asks for a product in a country.
    ///
    /// - Throws: `product.unknown`.
    public func price(
        of productID: String, in storefront: Storefront
    ) throws(StoreError) -> Money {
        Money(
            amountMilli: price(of: try productPosition(productID), offer: nil, in: storefront),
            currency: storefront.currency)
    }

    /// Takes a product from sale, or puts it back; its subscriptions end at their next renewal.
    ///
    /// - Throws: `product.unknown`.
    public mutating func setForSale(
        _ isForSale: Bool, product productID: String
    ) throws(StoreError) {
        let product = Int32(try productPosition(productID))
        if isForSale {
            withdrawnProducts.remove(product)
        } else {
            withdrawnProducts.insert(product)
        }
    }
}

/// A purchase whose names are resolved and that is allowed at this moment.
struct PurchaseRequest {
    let account: Int
    let product: Int

    /// The position among the product's offers.
    let offer: Int?
    let options: PurchaseOptions

    /// Set for subscriptions.
    var change: SubscriptionChange?

    init(account: Int, product: Int, offer: Int?, options: PurchaseOptions) {
        self.account = account
        self.product = product
        self.offer = offer
        self.options = options
    }
}

/// What buying a subscription does in the customer's present state.
enum SubscriptionChange {
    case begin
    case resubscribe(Int)

    /// The same product with an offer, charged now and added behind the running period.
    case redeem(Int)

    /// Another product at once.
    case replace(Int)

    /// Another product from the next renewal on.
    case planned(Int)

    /// The running product again while another one was planned.
    case keep(Int)

    /// Renewal is turned on again.
    case turnOn(Int)

    /// The failed payment is made.
    case recover(Int)
}
