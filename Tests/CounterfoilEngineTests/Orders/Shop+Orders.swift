// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilDatabase
import CounterfoilSimulator
import CounterfoilStore
import CounterfoilTestSupport
import Testing

@testable import CounterfoilEngine

/// An order and what its maker was told.
struct MadeOrder {
    let view: OrderView
    let ticket: String

    var id: UniqueID { view.record.orderID }
    var token: UniqueID { view.record.accountToken }

    /// What a client that kept everything says.
    var named: NamedOrder { NamedOrder(orderID: id, ticket: ticket) }

    /// What a client says that kept the id only.
    var namedByID: NamedOrder { NamedOrder(orderID: id, ticket: nil) }
}

extension Shop {
    /// Makes an order some hours before now, so that purchases of an hour ago come behind it.
    func order(
        _ product: String = "coins100", by customer: String = "u1", quantity: Int64 = 1,
        hoursAgo hours: Int64 = 2, context: String? = nil
    ) async throws -> MadeOrder {
        let now = clock.now
        clock.set(to: now - .seconds(hours * 3600))
        defer { clock.set(to: now) }
        let context = try context.map { try JSONValue(parsing: Array($0.utf8)) }?.object
        let making = engine.making(
            OrderRequest(
                customer: try CustomerID(customer), product: try ProductID(product),
                quantity: quantity, storefront: nil, environment: .production, context: context),
            for: policy)
        let view = try await engine.database.write { try making.run(in: $0) }
        return MadeOrder(view: view, ticket: making.ticket.text)
    }

    /// Tells the engine what a client says about an order.
    @discardableResult
    func hint(_ hint: OrderHint, of id: UniqueID) async throws -> OrderView? {
        let hinting = engine.hinting(hint, of: id, to: policy)
        return try await engine.database.write { try hinting.run(in: $0) }
    }

    /// Hands in a purchase together with what the client says about its order.
    @discardableResult
    func submit(
        _ purchase: SimulatedPurchase, by customer: String = "u1", for order: NamedOrder
    ) async throws -> SubmissionOutcome {
        let token = try TestAuthority.shared.signedTransaction(purchase)
        return try await engine.submit(
            Submission(
                customer: try CustomerID(customer), proof: .signedTransaction(token),
                claimedTransactionID: nil, claimedProductID: nil, order: order,
                address: "127.0.0.1"), to: policy)
    }

    /// A purchase that carries the order's token.
    func payment(
        of order: MadeOrder, _ transaction: String = "T1", _ product: String = "coins100",
        _ kind: SimulatedPurchase.Kind = .consumable
    ) -> SimulatedPurchase {
        var purchase = purchase(product, transaction, kind)
        purchase.appAccountToken = order.token
        return purchase
    }

    func state(of order: MadeOrder) async throws -> OrderState? {
        try await engine.order(order.id, of: Self.app)?.record.state
    }

    /// The grants of a state with the orders that they belong to.
    func grantedOrders(_ state: GrantState = .due) async throws -> [JSONValue] {
        try await engine.grants(
            of: Self.app, in: .production, state: state, after: nil, limit: 100
        ).map(\.order)
    }

    /// The data of all events of a type.
    func events(_ type: EventType) async throws -> [JSONValue] {
        try await engine.numberEvents()
        return try await engine.events(of: Self.app, after: 0, limit: 500).map(\.json)
            .filter { $0["type"]?.string == type.rawValue }
            .compactMap { $0["data"] }
    }
}
