// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilEngine
import CounterfoilReferenceModel

/// What the people of a story do, one thing after the other.
final class Script {
    private unowned let simulation: Simulation
    private var beatsLeft = 0
    private var failure: (any Error)?

    init(_ simulation: Simulation) {
        self.simulation = simulation
    }

    private var scheduler: Scheduler { simulation.scheduler }
    private var store: AppStore { simulation.store }

    var isOver: Bool { beatsLeft == 0 }

    func play(beats: Int) {
        beatsLeft = beats
        planNext()
    }

    private func planNext() {
        scheduler.after(Int64(scheduler.number(below: 3000))) { [self] in
            do {
                try act()
            } catch {
                preconditionFailure("the store cannot sign: \(error)")
            }
            beatsLeft -= 1
            if beatsLeft > 0 { planNext() }
        }
    }

    private func act() throws {
        switch scheduler.number(below: 140) {
        case 100...: simulation.game.act()
        case 0..<28: try buy()
        case 28..<34: order()
        case 34..<40: try buyAgain()
        case 40..<42: hint()
        case 42..<50: try refund()
        case 50..<66: handInOld()
        case 66..<78: try handInReceipt()
        case 78..<83: try forge()
        case 83..<94: registerToken()
        case 94..<97: try nameLater()
        case 97: simulation.losePower()
        case 98: simulation.crash()
        default: simulation.changeEdition()
        }
    }

    // MARK: Buying

    private func anyClient() -> Client {
        simulation.clients[scheduler.number(below: simulation.clients.count)]
    }

    private func buy() throws {
        let client = anyClient()
        let order = scheduler.isOne(in: 2) ? scheduler.pick(client.orders) : nil
        var ware = Shop.wares[scheduler.number(below: Shop.wares.count)]
        if let order, !scheduler.isOne(in: 8) {
            ware = Shop.wares.first { $0.product == order.product } ?? ware
        }
        let isOld = scheduler.isOne(in: 12)
        let transaction = store.nextTransaction()
        let bought = store.wholeSecond - (isOld ? 3 * 86_400_000 : 0)
        var sold = Sold(
            environment: scheduler.isOne(in: 6) ? .sandbox : .production,
            transaction: transaction, original: transaction, product: ware.product,
            type: ware.type, quantity: 1, bought: bought, firstBought: bought,
            token: order.map { scheduler.isOne(in: 3) ? nil : $0.token } ?? token(for: client),
            priceMilli: 990 + 1000 * Int64(scheduler.number(below: 5)), buyer: client.name)
        if ware.type == .consumable || ware.type == .nonRenewing, scheduler.isOne(in: 5) {
            sold.quantity = Int64(2 + scheduler.number(below: 3))
        }
        sold.isFamilyShared = ware.type == .nonConsumable && scheduler.isOne(in: 6)
        sold.isTypeTold = !scheduler.isOne(in: 8)
        let index = store.sell(sold)
        simulation.note("\(client.name) buys \(ware.product) as \(transaction)")
        try handIn(index, by: client)
    }

    /// Hands a purchase in as it stands, in one form or the other.
    private func handIn(_ index: Int, by client: Client) throws {
        if scheduler.isOne(in: 3) {
            give(
                try store.receipt(of: [index]), to: client, claim: store.sold[index].transaction)
        } else {
            give(try store.signedTransaction(of: index), to: client, claim: nil)
        }
    }

    private func give(_ evidence: Evidence, to client: Client, claim: String?) {
        let order = namedOrder(for: evidence, by: client)
        simulation.send(client.add(evidence, claim: claim, order: order), of: client)
    }

    /// What the device says about an order: nothing, one of its own or of another's, with the right
    /// ticket, a wrong one or none.
    private func namedOrder(for evidence: Evidence, by client: Client) -> NamedOrder? {
        let owner = scheduler.isOne(in: 5) ? anyClient() : client
        guard !scheduler.isOne(in: 3), let order = scheduler.pick(owner.orders) else { return nil }
        let tickets = [order.ticket, order.ticket, scheduler.pick(anyClient().orders)?.ticket, nil]
        let ticket = tickets[scheduler.number(below: tickets.count)]
        return simulation.counter.named(order.id, ticket, with: evidence, by: client)
    }

    private func order() {
        let client = anyClient()
        guard let product = scheduler.pick(Shop.orderable).flatMap({ try? ProductID($0) }),
            let customer = try? CustomerID(client.name)
        else { return }
        simulation.network.carry { [simulation] in
            simulation.anyServer?.order(product, for: customer) { [simulation] order in
                simulation.made(order, by: client)
            }
        }
    }

    private func hint() {
        guard let order = scheduler.pick(anyClient().orders) else { return }
        let hint: OrderHint = scheduler.isOne(in: 2) ? .pending : .abandoned(.failed)
        simulation.network.carry { [simulation] in
            simulation.anyServer?.hint(hint, of: order.id)
        }
    }

    /// The token that goes into a purchase: none, one of the customer, one of another's, one that
    /// the server may never hear of.
    private func token(for client: Client) -> UniqueID? {
        switch scheduler.number(below: 20) {
        case 0..<8: return nil
        case 8..<12:
            let token = UniqueID.random(scheduler.random)
            client.tokens.append(token)
            return token
        case 12..<17: return scheduler.pick(client.tokens)
        case 17..<19: return scheduler.pick(anyClient().tokens)
        default: return UniqueID.random(scheduler.random)
        }
    }

    /// The store gives a non-consumable out again under another transaction id: a restore, or after
    /// a refund a new purchase.
    private func buyAgain() throws {
        let candidates = store.sold.indices.filter { store.sold[$0].type == .nonConsumable }
        guard let index = scheduler.pick(candidates) else { return }
        var again = store.sold[index]
        again.transaction = store.nextTransaction()
        again.bought = store.wholeSecond
        again.revoked = nil
        again.lastSigned = 0
        again.copiesThen = 0
        let fresh = store.sell(again)
        simulation.note("\(again.original) again, as \(again.transaction)")
        let buyer = simulation.clients.first { $0.name == again.buyer } ?? anyClient()
        try handIn(fresh, by: scheduler.isOne(in: 5) ? anyClient() : buyer)
    }

    private func refund() throws {
        var candidates = store.sold.indices.filter { store.sold[$0].revoked == nil }
        // More often what gave units, which may be spent by now.
        if scheduler.isOne(in: 2) {
            candidates.removeAll { !["coins", "starter"].contains(store.sold[$0].product) }
        }
        guard let index = scheduler.pick(candidates) else { return }
        store.change(index) { $0.revoked = max(store.wholeSecond, $0.bought) }
        simulation.note("\(store.sold[index].transaction) is taken back")
        try handIn(index, by: anyClient())
    }

    /// A later copy carries a token that earlier ones had not.
    private func nameLater() throws {
        let candidates = store.sold.indices.filter { store.sold[$0].token == nil }
        guard let index = scheduler.pick(candidates) else { return }
        let client = anyClient()
        store.change(index) { $0.token = token(for: client) }
        try handIn(index, by: client)
    }

    // MARK: Confusion and malice

    private func handInOld() {
        guard let evidence = scheduler.pick(store.inOrder) else { return }
        let copies = evidence.meaning.copies
        let claims: [String?] = [
            nil, scheduler.pick(copies)?.transaction, scheduler.pick(copies)?.original,
            scheduler.pick(store.sold)?.transaction,
        ]
        give(evidence, to: anyClient(), claim: claims[scheduler.number(below: claims.count)])
    }

    private func handInReceipt() throws {
        let owner = anyClient()
        let environment: AppStoreEnvironment = scheduler.isOne(in: 6) ? .sandbox : .production
        let indices = store.sold.indices.filter {
            store.sold[$0].buyer == owner.name && store.sold[$0].environment == environment
        }.suffix(6)
        guard !indices.isEmpty else { return }
        let evidence = try store.receipt(of: Array(indices))
        let claim =
            scheduler.isOne(in: 4) ? nil : scheduler.pick(evidence.meaning.copies)?.transaction
        give(evidence, to: scheduler.isOne(in: 4) ? anyClient() : owner, claim: claim)
    }

    private func forge() throws {
        guard !store.sold.isEmpty else { return }
        let index = scheduler.number(below: store.sold.count)
        give(try store.forgery(of: index), to: anyClient(), claim: nil)
    }

    private func registerToken() {
        let client = anyClient()
        guard let token = scheduler.pick(client.tokens),
            let customer = try? CustomerID(client.name)
        else { return }
        simulation.network.carry { [simulation] in
            simulation.anyServer?.register(token, for: customer)
        }
    }
}
