// SPDX-License-Identifier: Apache-2.0

extension Wallets {
    /// A request was answered as done, with what the customer has then.
    ///
    /// - Returns: What is wrong with that, or nil.
    func answered(_ request: WalletRequest, _ balance: Purse.Balance) -> String? {
        guard let outcome = outcomes[key(of: request)] else {
            return "P2: \(request.name) was answered before it was committed"
        }
        guard outcome == balance else {
            return "P7: \(request.name) was answered \(balance), its commit left \(outcome)"
        }
        return nil
    }

    /// What ends a hold is known by the hold: it happens once.
    private func key(of request: WalletRequest) -> String {
        switch request.wish {
        case .post(let hold, _), .void(let hold): hold
        case .spend, .credit, .reserve: request.name
        }
    }

    /// A request was refused, at the latest at a moment.
    ///
    /// - Returns: What is wrong with that, or nil.
    func refused(
        _ request: WalletRequest, _ refusal: WalletRequest.Refusal, at now: Int64,
        _ books: Books
    ) -> String? {
        let place = Place(
            environment: request.environment, customer: request.customer, unit: request.unit)
        let purse = purses[place] ?? Purse(rules)
        let isDone =
            switch request.wish {
            case .spend, .credit, .reserve: outcomes[request.name] != nil
            case .post, .void: false
            }
        if isDone { return "P1: \(request.name) was done, and is refused now: \(refusal)" }
        guard isRight(refusal, request.wish, purse, at: now, books, request) else {
            return
                "P7: \(request.name) was refused for \(refusal): \(request.wish), \(purse.balance)"
        }
        return nil
    }

    private func isRight(
        _ refusal: WalletRequest.Refusal, _ wish: WalletRequest.Wish, _ purse: Purse,
        at now: Int64, _ books: Books, _ request: WalletRequest
    ) -> Bool {
        switch (wish, refusal) {
        case (.spend(let amount), .insufficient), (.reserve(let amount), .insufficient),
            (.spend(let amount), .debtBlocks), (.reserve(let amount), .debtBlocks):
            return purse.obstacle(to: amount, at: now) == refusal
        case (.credit(let paid, let bonus, _, _, _), .aboveMaximum):
            let has = purse.balance
            return has.paid + has.bonus + has.held + paid + bonus > rules.maximum
        case (.credit, .alreadyGranted): return books.isGranted(purchase(of: wish, books), request)
        case (.credit, .alreadyRefunded):
            return books.isRefunded(purchase(of: wish, books), request)
        case (.credit(_, _, _, _, let order?), .unknownOrder):
            return !books.orders.contains { $0.id == order && $0.customer == request.customer }
        case (.post(let hold, _), .unknownHold), (.void(let hold), .unknownHold):
            return purse.holds[hold] == nil
        case (.post(let hold, _), .holdIsOver), (.void(let hold), .holdIsOver):
            return purse.holds[hold].map { $0.state != "open" } ?? false
        case (.post(let hold, let amount?), .aboveHold):
            return purse.holds[hold].map { $0.amount < amount } ?? false
        default: return false
        }
    }

    /// Whether a credit stands for a purchase that needs none.
    func isStoodInForTooLate(_ request: WalletRequest, _ books: Books) -> Bool {
        let transaction = purchase(of: request.wish, books)
        return books.isGranted(transaction, request) || books.isRefunded(transaction, request)
    }

    /// The transaction that a credit stands for, as far as it is known.
    private func purchase(of wish: WalletRequest.Wish, _ books: Books) -> String? {
        guard case .credit(_, _, _, let transaction, let order) = wish else { return nil }
        return order.map { id in books.orders.first { $0.id == id }?.paidBy } ?? transaction
    }

    /// What should have run out or gone back by a moment and did not.
    func overdue(at now: Int64) -> [String] {
        purses.sorted { "\($0.key)" < "\($1.key)" }.flatMap { place, purse in
            purse.lots.filter { ($0.expires ?? .max) <= now && $0.left > 0 }
                .map { "P4: \($0.left) of \(place) have run out and are still there" }
                + purse.holds.filter { $0.value.state == "open" && $0.value.expires <= now }
                .map { "P4: the hold \($0.key) outlives its time" }
        }
    }
}

extension Books {
    private func purchases(of transaction: String?, _ request: WalletRequest) -> [Purchase] {
        let own = purchases.filter {
            $0.environment == request.environment && $0.facts.transaction == transaction
        }
        guard let sale = own.first?.sale else { return own }
        return purchases.filter { $0.environment == request.environment && $0.sale == sale }
    }

    /// Whether a transaction's sale gave its goods.
    func isGranted(_ transaction: String?, _ request: WalletRequest) -> Bool {
        let sales = purchases(of: transaction, request).compactMap(\.sale)
        return grants.contains {
            $0.place.environment == request.environment && sales.contains($0.place.sale)
                && $0.revision == 0 && $0.grant.goods != nil
                && ($0.grant.state != "delivered_elsewhere" || $0.grant.goods != [])
        }
    }

    func isRefunded(_ transaction: String?, _ request: WalletRequest) -> Bool {
        purchases(of: transaction, request).contains { $0.facts.revoked != nil }
    }
}
