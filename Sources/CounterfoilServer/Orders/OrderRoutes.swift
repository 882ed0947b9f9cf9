// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilEngine
import CounterfoilHTTP

extension Interface {
    /// `POST /v1/orders` makes an order before the payment, `GET /v1/orders/{order_id}` reads it, and
    /// the client's hints follow: `…/cancel` and `…/pending`.
    var orderRoutes: [Route] {
        [
            .customer(.post, "/v1/orders") { context, principal in
                let policy = try policy(of: principal)
                let request = try context.body { OrderRequest(&$0, by: principal.customer) }
                _ = try principal.mayAct(for: request.customer)
                return try await make(request, policy, context, principal)
            },
            .customer(.get, "/v1/orders/{order_id}") { context, principal in
                try context.query { _ in }
                let id = try Self.orderID(in: context, principal)
                return .json(try await order(id, of: principal).json)
            },
            .customer(.post, "/v1/orders/{order_id}/cancel") { context, principal in
                let policy = try policy(of: principal)
                let id = try Self.orderID(in: context, principal)
                let reason = try context.body { body in
                    let reason = body.choice("reason", OrderClosing.self, isRequired: false)
                    return body.findings.isEmpty ? reason ?? .other : nil
                }
                return try await take(.abandoned(reason), of: id, policy, context, principal)
            },
            .customer(.post, "/v1/orders/{order_id}/pending") { context, principal in
                let policy = try policy(of: principal)
                let id = try Self.orderID(in: context, principal)
                try context.body { _ in () }
                return try await take(.pending, of: id, policy, context, principal)
            },
        ]
    }

    /// The ticket is put on the answer afterwards, since an answer that can be repeated is stored.
    private func make(
        _ request: OrderRequest, _ policy: AppPolicy, _ context: RequestContext,
        _ principal: Principal
    ) async throws -> HTTPResponse {
        let secret = context.request.headers[RequestContext.idempotencyHeader]
        let making = engine.making(request, for: policy, secret: secret)
        return try await once(
            context, principal,
            showing: { body in
                guard var json = body.object else { return body }
                let id = json["order_id"]?.string.flatMap { UniqueID($0) }
                let repeated = secret.flatMap { secret in
                    id.map { OrderTicket(of: $0, secret: secret) }
                }
                json.append("ticket", .string((repeated ?? making.ticket).text))
                return .object(json)
            }
        ) { transaction in
            do {
                return StoredReply(status: 201, body: try making.run(in: transaction).json)
            } catch let refusal as OrderRefusal {
                throw Problem(refusal)
            }
        }
    }

    private func take(
        _ hint: OrderHint, of id: UniqueID, _ policy: AppPolicy, _ context: RequestContext,
        _ principal: Principal
    ) async throws -> HTTPResponse {
        if principal.customer != nil { _ = try await order(id, of: principal) }
        let hinting = engine.hinting(hint, of: id, to: policy)
        return try await once(context, principal) { transaction in
            do {
                guard let order = try hinting.run(in: transaction) else {
                    throw principal.missing(Self.noSuchOrder)
                }
                return StoredReply(body: order.json)
            } catch let refusal as OrderRefusal {
                throw Problem(refusal)
            }
        }
    }

    /// The order, if the sender may see it.
    private func order(_ id: UniqueID, of principal: Principal) async throws -> OrderView {
        let order = try await engine.order(id, of: principal.app, visibleTo: principal.customer)
        guard let order else { throw principal.missing(Self.noSuchOrder) }
        return order
    }

    private static let noSuchOrder = "there is no such order"

    private static func orderID(
        in context: RequestContext, _ principal: Principal
    ) throws(Problem) -> UniqueID {
        guard let id = UniqueID(context.parameter("order_id")) else {
            throw principal.missing(noSuchOrder)
        }
        return id
    }
}

extension Problem {
    fileprivate init(_ refusal: OrderRefusal) {
        switch refusal {
        case .unknownProduct:
            self.init(
                status: 422, code: "order.unknown_product",
                detail: "the catalogue has no product with this product_id")
        case .inactiveProduct:
            self.init(
                status: 422, code: "order.inactive_product",
                detail: "the catalogue has this product and does not offer it")
        case .tooMany(let limit):
            self.init(
                status: 409, code: "order.limit",
                detail: "the customer has \(limit) open orders, the most that one may have")
        }
    }
}
