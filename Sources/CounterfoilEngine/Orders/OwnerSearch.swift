// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilDatabase
import CounterfoilStore

/// Finds whose a purchase is and which order it pays; the sale is locked.
///
/// The order that is found is locked behind the sale. A purchase without a token is paired with an
/// order once; that is recorded and stays (docs/orders.md).
struct OwnerSearch {
    let transaction: any WriteTransaction
    let record: TransactionRecord

    /// The recorded owner of the transaction, or of its original.
    let recorded: UniqueID?
    let claim: Claim

    /// Whether this transaction's goods were frozen before; then it is too late for an order.
    let isSettled: Bool

    struct Finding {
        var owner: Owner
        var order: OrderRecord?
        var note: OrderNote?
    }

    private typealias Holder = (customer: UniqueID, order: UniqueID?)

    private var product: ProductID { record.identity.value.productID }
    private var token: UniqueID? { record.ownership?.value.appAccountToken }

    func run() throws -> Finding {
        if let order = record.order {
            return Finding(
                owner: owner(holder: nil), order: try locked(order), note: claim.note)
        }
        var holder: Holder?
        if let token, recorded == nil || !isSettled {
            holder = try transaction.tokenHolder(record.app, token).map {
                (try transaction.current($0.customer), $0.order)
            }
        }
        var finding = Finding(owner: owner(holder: holder), order: nil, note: claim.note)
        guard !isSettled else { return finding }
        if token != nil, holder == nil { return finding }
        if let order = holder?.order {
            try take(tokenOrder: order, &finding)
        } else if let customer = finding.owner.customer {
            try takeOrder(of: customer, isSigned: holder != nil, &finding)
        } else {
            try takePresentersOrder(&finding)
        }
        return finding
    }

    // MARK: The owner

    private func owner(holder: Holder?) -> Owner {
        Owner(
            Owner.Evidence(
                recorded: recorded, token: token, tokenCustomer: holder?.customer,
                ticketCustomer: ticketOrder?.customer, claimant: claim.customer))
    }

    /// The order whose ticket came along, if it is for what was bought.
    private var ticketOrder: OrderRecord? {
        guard claim.hasTicket, let order = claim.order, order.productID == product else {
            return nil
        }
        return order
    }

    // MARK: The order

    /// A signed token selects its own order and no other, also for a second payment.
    private func take(tokenOrder id: UniqueID, _ finding: inout Finding) throws {
        guard let order = try locked(id) else { return }
        if let named = claim.order, named.orderID != id { finding.note = .otherOrder }
        if order.productID != product {
            finding.note = .otherProduct
        } else if order.customer != finding.owner.customer {
            finding.note = .otherCustomer
        } else {
            finding.order = order
        }
    }

    /// Without a token that names one: the order that the client named, or else the oldest that was
    /// open when the purchase was made.
    ///
    /// - Parameter isSigned: Whether the purchase is the customer's by a signed token, whoever hands it
    ///   in.
    private func takeOrder(
        of customer: UniqueID, isSigned: Bool, _ finding: inout Finding
    ) throws {
        var named: OrderRecord?
        if let order = claim.order {
            if order.productID != product {
                finding.note = .otherProduct
            } else if order.customer != customer || !mayName(order) {
                finding.note = .otherCustomer
            } else {
                named = order
            }
        }
        if let named, named.paidBy == nil, let order = try locked(named.orderID),
            order.paidBy == nil
        {
            finding.order = order
            return
        }
        guard named != nil || isSigned || claim.customer == customer else { return }
        finding.order = try oldestOpenOrder(of: customer)
        if finding.order == nil, claim.hasTicket, let named {
            finding.order = try locked(named.orderID)
        }
    }

    /// Whoever has the ticket may name an order, and its customer.
    private func mayName(_ order: OrderRecord) -> Bool {
        claim.hasTicket || claim.customer == order.customer
    }

    /// An entry of a receipt that nobody claims, and that no token names: it pays an order of whoever
    /// handed the receipt in, or nobody knows whose it is.
    private func takePresentersOrder(_ finding: inout Finding) throws {
        for presenter in claim.presenters {
            let customer = try transaction.current(presenter)
            guard let order = try oldestOpenOrder(of: customer) else { continue }
            finding.order = order
            finding.owner = .known(customer, .order)
            return
        }
    }

    private func oldestOpenOrder(of customer: UniqueID) throws -> OrderRecord? {
        let purchase = record.identity.value.purchaseDate
        let span = purchase - Limits.orderClockSkew...purchase + Limits.orderClockSkew
        // An order that was closed when its customer was merged has stayed with that one.
        let candidates = try transaction.unpaidOrders(
            of: try transaction.allKeys(of: customer), for: product, openIn: span,
            limit: Limits.ordersPerPurchase)
        for id in candidates {
            // Another purchase may have paid it while this one waited for the lock.
            if let order = try locked(id), order.paidBy == nil { return order }
        }
        return nil
    }

    private func locked(_ id: UniqueID) throws -> OrderRecord? {
        guard var order = try transaction.lockedOrder(record.app, id: id) else { return nil }
        order.customer = try transaction.current(order.customer)
        return order
    }
}
