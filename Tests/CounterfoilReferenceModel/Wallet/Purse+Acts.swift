// SPDX-License-Identifier: Apache-2.0

extension Purse {
    /// What the books drew for a commit: when it was, and the ids of the lots that it made, by source
    /// and account.
    struct Occasion: Sendable {
        let now: Int64
        let ids: [String: String]

        func birth(_ source: String, _ account: String) -> Birth {
            Birth(moment: now, id: ids["\(source) \(account)"] ?? "")
        }
    }

    /// A sale gives units; what was paid for pays debts first.
    mutating func issue(paid: Int64, bonus: Int64, of sale: String, _ occasion: Occasion) {
        if paid > 0 {
            give(.paid, paid, from: sale, expires: nil, as: "grant", occasion)
            if rules.purchasesPayDebt { payDebts(with: lots.count - 1) }
        }
        if bonus > 0 {
            let end = occasion.now + rules.bonusLasts
            give(.bonus, bonus, from: sale, expires: end, as: "grant", occasion)
        }
    }

    mutating func credit(
        _ source: String, paid: Int64, bonus: Int64, expires: Int64?, _ occasion: Occasion
    ) {
        if paid > 0 { give(.paid, paid, from: source, expires: nil, as: "credit", occasion) }
        if bonus > 0 {
            let end = expires ?? (occasion.now + rules.bonusLasts)
            give(.bonus, bonus, from: source, expires: end, as: "credit", occasion)
        }
    }

    private mutating func give(
        _ kind: Kind, _ amount: Int64, from source: String, expires: Int64?, as act: String,
        _ occasion: Occasion
    ) {
        let lot = Lot(
            source: source, kind: kind, amount: amount, left: amount, expires: expires,
            birth: occasion.birth(source, kind.rawValue))
        add(lot, as: act)
    }

    /// A refund takes units: the sale's own first, each kind from its own as far as it goes, then any
    /// that can be spent; the rest is owed.
    ///
    /// - Returns: What is owed.
    mutating func takeBack(
        paid: Int64, bonus: Int64, of sources: [String], _ occasion: Occasion
    ) -> Int64 {
        var taken: [Int: Int64] = [:]
        func left(where condition: (Lot) -> Bool) -> [Part] {
            lots.indices.filter { condition(lots[$0]) }
                .map { Part(lot: $0, amount: lots[$0].left - (taken[$0] ?? 0)) }
        }
        let isOwn = { (lot: Lot) in sources.contains(lot.source) }
        var missing = paid + bonus
        let steps: [(limit: Int64, fits: (Lot) -> Bool)] = [
            (paid, { isOwn($0) && $0.kind == .paid }), (bonus, { isOwn($0) && $0.kind == .bonus }),
            (.max, isOwn), (.max, { _ in true }),
        ]
        for step in steps {
            for part in plan(min(missing, step.limit), of: left(where: step.fits)) {
                taken[part.lot, default: 0] += part.amount
                missing -= part.amount
            }
        }
        let parts = taken.sorted { $0.key < $1.key }.map { Part(lot: $0.key, amount: $0.value) }
        take(parts, to: "issued", as: "refund")
        if missing > 0 {
            add(Debt(source: sources[0], amount: missing, open: missing))
        }
        return missing
    }

    /// What has run out is gone, lot by lot.
    mutating func expire(at now: Int64) {
        for index in lots.indices {
            guard let end = lots[index].expires, end <= now, lots[index].left > 0 else { continue }
            take([Part(lot: index, amount: lots[index].left)], to: "expired", as: "expiry")
        }
    }

    /// Why an amount cannot be spent at a moment.
    func obstacle(to amount: Int64, at now: Int64) -> WalletRequest.Refusal? {
        if rules.debtBlocksSpending, balance.debt > 0 { return .debtBlocks }
        return available(at: now) < amount ? .insufficient : nil
    }

    mutating func spend(_ amount: Int64, at now: Int64) {
        expire(at: now)
        take(plan(amount, of: whole), to: "spent", as: "spend")
    }

    mutating func reserve(_ id: String, _ amount: Int64, at now: Int64, until end: Int64) {
        expire(at: now)
        hold(
            id,
            Hold(amount: amount, parts: plan(amount, of: whole), since: debts.count, expires: end))
    }
}
