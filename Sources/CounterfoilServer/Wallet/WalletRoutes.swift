// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilEngine
import CounterfoilHTTP
import CounterfoilStore

extension Interface {
    /// `POST /v1/customers/{customer_id}/spend`, `…/credit`, `…/reserve`, and what becomes of holds.
    var walletRoutes: [Route] {
        [
            .secret(.post, "/v1/customers/{customer_id}/spend") { context, principal in
                let request = try context.body { WalletRequest.spend(&$0) }
                return try await change(request, context, principal)
            },
            .secret(.post, "/v1/customers/{customer_id}/credit") { context, principal in
                let now = engine.clock.now
                let request = try context.body { WalletRequest.credit(&$0, at: now) }
                return try await change(request, context, principal)
            },
            .secret(.post, "/v1/customers/{customer_id}/reserve") { context, principal in
                let request = try context.body { WalletRequest.reserve(&$0) }
                return try await change(request, context, principal)
            },
            .secret(.post, "/v1/customers/{customer_id}/holds/{hold_id}/post") {
                context, principal in
                let hold = try Self.holdID(in: context)
                let request = try context.body { WalletRequest.post(&$0, hold: hold) }
                return try await change(request, context, principal)
            },
            .secret(.post, "/v1/customers/{customer_id}/holds/{hold_id}/void") {
                context, principal in
                let hold = try Self.holdID(in: context)
                let request = try context.body { WalletRequest.void(&$0, hold: hold) }
                return try await change(request, context, principal)
            },
        ]
    }

    private func change(
        _ request: WalletRequest, _ context: RequestContext, _ principal: Principal
    ) async throws -> HTTPResponse {
        let customer = try context.parameter("customer_id", CustomerKind.self)
        let operation = engine.walletOperation(
            request.action, on: customer, in: request.environment, reason: request.reason,
            reference: request.reference, under: try policy(of: principal))
        return try await once(context, principal) { transaction in
            do {
                guard let change = try operation.run(in: transaction) else {
                    throw Problem.notFound("there is no such customer")
                }
                return StoredReply(body: change.json)
            } catch let refusal as WalletRefusal {
                throw Problem(refusal)
            }
        }
    }

    private static func holdID(in context: RequestContext) throws(Problem) -> UniqueID {
        guard let id = UniqueID(context.parameter("hold_id")) else { throw .noSuchHold }
        return id
    }
}

extension Problem {
    fileprivate static let noSuchHold = notFound("there is no such hold")

    fileprivate init(_ refusal: WalletRefusal) {
        switch refusal {
        case .unknownUnit(let unit):
            self.init(
                status: 422, code: "wallet.unit_unknown",
                detail: "the catalogue has no unit \"\(unit)\"")
        case .heldByGame(let unit):
            self.init(
                status: 422, code: "wallet.unit_held_by_game",
                detail: "the game counts what is left of \"\(unit)\"; this wallet does not")
        case .insufficientBalance(let unit, let available, let wanted):
            self.init(
                status: 409, code: "wallet.insufficient_balance",
                detail: "the customer has \(available) of \"\(unit)\"; wanted are \(wanted)")
            members.append("balance", .integer(available))
            members.append("wanted", .integer(wanted))
        case .debtBlocksSpending(let unit, let owed):
            self.init(
                status: 409, code: "wallet.debt_blocks_spending",
                detail: "the customer owes \(owed) of \"\(unit)\" and spends none before it is paid"
            )
            members.append("debt", .integer(owed))
        case .aboveMaximum(let unit, let maximum, let balance, let wanted):
            self.init(
                status: 409, code: "wallet.above_maximum",
                detail: "the customer has \(balance) of \"\(unit)\", \(wanted) more would be above "
                    + "\(maximum), the most that the catalogue allows")
            members.append("maximum", .integer(maximum))
            members.append("balance", .integer(balance))
            members.append("wanted", .integer(wanted))
        case .unknownHold: self = .noSuchHold
        case .unknownOrder: self = .notFound("the customer has no such order")
        case .holdIsOver(let state):
            self.init(
                status: 409, code: "wallet.hold_over",
                detail: "the hold is \(state.rawValue) and nothing is left of it")
            members.append("state", .string(state.rawValue))
        case .aboveHold(let held, let wanted):
            self.init(
                status: 409, code: "wallet.above_hold",
                detail: "\(held) are held; wanted are \(wanted)")
            members.append("held", .integer(held))
            members.append("wanted", .integer(wanted))
        case .alreadyGranted(let id):
            self.init(
                status: 409, code: "wallet.already_granted",
                detail: "the transaction \(id) has given its goods; nothing can stand in for it")
        case .alreadyRefunded(let id):
            self.init(
                status: 409, code: "wallet.already_refunded",
                detail: "the transaction \(id) was refunded; nothing can stand in for it")
        }
    }
}
