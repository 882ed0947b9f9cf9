// SPDX-License-Identifier: Apache-2.0
import CounterfoilApple
import CounterfoilCore
import CounterfoilCrypto
import CounterfoilEngine
import CounterfoilReferenceModel
import CounterfoilStore

/// The studio's own server: spends, credits and sets aside for its customers, and asks again under the
/// same key until it is answered.
final class GameServer {
    /// Something to be done, under one key however often it is asked for.
    struct Errand: Sendable {
        let request: WalletRequest
        let customer: CustomerID
        let environment: AppStoreEnvironment
        let action: WalletOperation.Action

        var key: IdempotencyKey {
            IdempotencyKey(
                app: Shop.app, key: request.name, principal: "the studio",
                requestDigest: Digest.sha256(Array("\(request)".utf8)))
        }
    }

    enum Reply {
        case done(JSONValue)
        case refused(WalletRefusal)
    }

    /// That nobody has named the customer yet.
    struct NobodyKnown: Error {}

    private unowned let simulation: Simulation
    private var errands: [String: Errand] = [:]
    private var attempts: [String: Int] = [:]

    /// The answer to each errand that was done.
    private var answers: [String: JSONValue] = [:]

    /// The holds that it knows of, with whose they are.
    private var holds: [(id: UniqueID, owner: Errand)] = []

    /// How often an errand is asked for at most while nobody answers.
    private static let patience = 6
    private static let unit = "coins"

    init(_ simulation: Simulation) {
        self.simulation = simulation
    }

    private var scheduler: Scheduler { simulation.scheduler }

    // MARK: Errands

    /// Sets out to do something.
    func act() {
        guard let errand = makeErrand() else { return }
        errands[errand.request.name] = errand
        simulation.asks(errand.request)
        send(errand.request.name)
    }

    private func makeErrand() -> Errand? {
        switch scheduler.number(below: 10) {
        case 0..<4:
            let (customer, environment, amount) = spender()
            return errand(.spend(amount), for: customer, in: environment) { .spend($0, amount) }
        case 4..<6: return credit()
        case 6..<8:
            let (customer, environment, amount) = spender()
            let seconds = 5 + scheduler.number(below: 60)
            return errand(.reserve(amount), for: customer, in: environment) {
                .reserve($0, amount, for: .seconds(seconds))
            }
        default: return decision()
        }
    }

    /// Mostly somebody who has something, and often all of it.
    private func spender() -> (String, AppStoreEnvironment, Int64) {
        let rich = simulation.books.accounts.filter {
            $0.customer != nil && ["paid", "bonus"].contains($0.kind) && ($0.balance ?? 0) > 0
        }.sorted { $0.id < $1.id }
        if !scheduler.isOne(in: 4), let account = scheduler.pick(rich) {
            let all = account.balance ?? 1
            return (
                account.customer ?? "", AppStoreEnvironment(rawValue: account.environment),
                scheduler.isOne(in: 2) ? all : 1 + Int64(scheduler.number(below: Int(all)))
            )
        }
        let client = simulation.clients[scheduler.number(below: simulation.clients.count)]
        return (
            client.name, scheduler.isOne(in: 6) ? .sandbox : .production,
            Int64(1 + scheduler.number(below: 200))
        )
    }

    private func errand(
        _ wish: WalletRequest.Wish, for customer: String, in environment: AppStoreEnvironment,
        _ action: (UnitID) -> WalletOperation.Action
    ) -> Errand? {
        guard let id = try? CustomerID(customer), let unit = try? UnitID(Self.unit) else {
            return nil
        }
        let request = WalletRequest(
            name: "w\(errands.count + 1)", environment: environment.rawValue, customer: customer,
            unit: Self.unit, wish: wish)
        return Errand(
            request: request, customer: id, environment: environment, action: action(unit))
    }

    /// Units by hand, often for a purchase of the customer's that may not have arrived.
    private func credit() -> Errand? {
        let paid = Int64(scheduler.number(below: 150))
        let bonus = Int64(scheduler.isOne(in: 2) ? 1 + scheduler.number(below: 30) : 0)
        guard paid + bonus > 0 else { return nil }
        let expires = scheduler.isOne(in: 3) ? scheduler.now + 30_000 : nil
        let client = simulation.clients[scheduler.number(below: simulation.clients.count)]
        let bought = simulation.store.sold.filter { $0.buyer == client.name }
        let sold = scheduler.isOne(in: 3) ? nil : scheduler.pick(Array(bought.suffix(3)))
        let order = sold == nil && scheduler.isOne(in: 2) ? scheduler.pick(client.orders) : nil
        return errand(
            .credit(
                paid: paid, bonus: bonus, expires: expires, transaction: sold?.transaction,
                order: order?.id.description),
            for: client.name, in: sold?.environment ?? .production
        ) { unit in
            var credit = WalletOperation.Credit(unit: unit)
            credit.amount = paid
            credit.bonus = bonus
            credit.expiresAt = expires.map { Instant(millisecondsSinceEpoch: $0) }
            credit.transactionID = sold.flatMap { try? TransactionID($0.transaction) }
            credit.orderID = order?.id
            return .credit(credit)
        }
    }

    /// Posts or voids a hold, of this customer or now and then of another.
    private func decision() -> Errand? {
        guard let (hold, owner) = scheduler.pick(holds) else { return nil }
        let customer =
            scheduler.isOne(in: 8)
            ? simulation.clients[scheduler.number(below: simulation.clients.count)].name
            : owner.request.customer
        let name = hold.description
        if scheduler.isOne(in: 3) {
            return errand(.void(hold: name), for: customer, in: owner.environment) { _ in
                .void(hold: hold)
            }
        }
        let amount = scheduler.isOne(in: 2) ? nil : Int64(1 + scheduler.number(below: 40))
        return errand(.post(hold: name, amount), for: customer, in: owner.environment) { _ in
            .post(hold: hold, amount: amount)
        }
    }

    // MARK: Asking

    private func send(_ name: String) {
        guard let errand = errands[name], attempts[name, default: 0] < Self.patience else { return }
        attempts[name, default: 0] += 1
        let attempt = attempts[name]
        simulation.note("\(name) for \(errand.request.customer): \(errand.request.wish)")
        simulation.network.carry { [unowned self] in arrive(errand) }
        scheduler.after(8000) { [unowned self] in
            if attempts[name] == attempt { send(name) }
        }
    }

    private func arrive(_ errand: Errand) {
        let name = errand.request.name
        simulation.anyServer?.operate(errand) { [unowned self] reply in
            simulation.replied(reply, to: errand.request)
            if case .done(let body) = reply {
                if let earlier = answers[name], earlier != body {
                    simulation.report("P7: \(name) was answered \(earlier) and then \(body)")
                }
                answers[name] = body
            }
            simulation.network.carry { [unowned self] in received(reply, errand) }
        }
    }

    private func received(_ reply: Reply, _ errand: Errand) {
        // Now and then it forgets that it was answered.
        if !scheduler.isOne(in: 6) { attempts[errand.request.name] = Self.patience }
        if case .done(let body) = reply, case .reserve = errand.action,
            let id = UniqueID(body["hold_id"]?.string ?? ""),
            !holds.contains(where: { $0.id == id })
        {
            holds.append((id, errand))
        }
    }

    /// What the interface would answer, as far as the story needs it.
    static func body(of change: WalletChange) -> JSONValue {
        [
            "operation_id": .string(change.operationID.description),
            "hold_id": .optional(change.hold?.holdID.description),
            "paid": .integer(change.balance.paid), "bonus": .integer(change.balance.bonus),
            "held": .integer(change.balance.held), "debt": .integer(change.balance.debt),
        ]
    }
}

extension WalletRefusal {
    /// In the model's words; nil for what no story asks for.
    var inModelsWords: WalletRequest.Refusal? {
        switch self {
        case .insufficientBalance: .insufficient
        case .debtBlocksSpending: .debtBlocks
        case .aboveMaximum: .aboveMaximum
        case .unknownHold: .unknownHold
        case .holdIsOver: .holdIsOver
        case .aboveHold: .aboveHold
        case .alreadyGranted: .alreadyGranted
        case .alreadyRefunded: .alreadyRefunded
        case .unknownOrder: .unknownOrder
        case .unknownUnit, .heldByGame: nil
        }
    }
}
