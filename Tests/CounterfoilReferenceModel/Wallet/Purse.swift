// SPDX-License-Identifier: Apache-2.0

/// What one customer has of one unit in one environment, lot by lot, and what one commit moved in it.
struct Purse: Sendable {
    enum Kind: String, Sendable {
        case paid, bonus
    }

    /// Units that came together. They are known by where they came from and their kind; the books'
    /// id only tells two apart that came at one moment.
    struct Lot: Sendable {
        let source: String
        let kind: Kind
        let amount: Int64
        var left: Int64
        let expires: Int64?
        let birth: Birth
    }

    struct Debt: Sendable {
        let source: String
        let amount: Int64
        var open: Int64
        var writtenOff: Int64 = 0
    }

    struct Hold: Sendable {
        let amount: Int64

        /// From which lots it was taken.
        let parts: [Part]

        /// How many debts there were before it.
        let since: Int
        let expires: Int64
        var state = "open"
        var posted: Int64 = 0
    }

    /// Some of a lot, by its place in ``lots``.
    struct Part: Sendable {
        let lot: Int
        let amount: Int64
    }

    struct Birth: Hashable, Comparable, Sendable {
        let moment: Int64
        let id: String

        static func < (lhs: Birth, rhs: Birth) -> Bool {
            (lhs.moment, lhs.id) < (rhs.moment, rhs.id)
        }
    }

    /// One movement between two accounts.
    struct Move: Hashable, Sendable {
        let kind: String
        let from: String
        let to: String
        let amount: Int64
    }

    struct Balance: Hashable, Sendable {
        var paid: Int64 = 0
        var bonus: Int64 = 0
        var held: Int64 = 0
        var debt: Int64 = 0
    }

    let rules: HouseRules
    private(set) var lots: [Lot] = []
    private(set) var debts: [Debt] = []
    private(set) var holds: [String: Hold] = [:]

    /// What was moved since somebody last took note of it.
    private(set) var moves: [Move] = []

    init(_ rules: HouseRules) {
        self.rules = rules
    }

    mutating func takeMoves() -> [Move] {
        defer { moves = [] }
        return moves
    }

    var balance: Balance {
        Balance(
            paid: lots.filter { $0.kind == .paid }.reduce(0) { $0 + $1.left },
            bonus: lots.filter { $0.kind == .bonus }.reduce(0) { $0 + $1.left },
            held: holds.values.filter { $0.state == "open" }.reduce(0) { $0 + $1.amount },
            debt: debts.reduce(0) { $0 + $1.open })
    }

    var available: Int64 { lots.reduce(0) { $0 + $1.left } }

    /// What can be spent at a moment.
    func available(at now: Int64) -> Int64 {
        lots.filter { ($0.expires ?? .max) > now }.reduce(0) { $0 + $1.left }
    }

    // MARK: Parts

    /// What is taken of an amount, lot by lot in the order of the rules.
    func plan(_ amount: Int64, of parts: [Part]) -> [Part] {
        var rest = amount
        return parts.sorted { rank($0.lot) < rank($1.lot) }.compactMap { part in
            let taken = min(rest, part.amount)
            rest -= taken
            return taken > 0 ? Part(lot: part.lot, amount: taken) : nil
        }
    }

    /// Everything that is there.
    var whole: [Part] { lots.indices.map { Part(lot: $0, amount: lots[$0].left) } }

    private func rank(_ index: Int) -> (Int, Int64, Birth) {
        let lot = lots[index]
        return switch rules.order {
        case .bonusFirst: (lot.kind == .bonus ? 0 : 1, lot.expires ?? .max, lot.birth)
        case .paidFirst: (lot.kind == .paid ? 0 : 1, lot.expires ?? .max, lot.birth)
        case .oldestFirst: (0, 0, lot.birth)
        }
    }

    /// Takes parts away, one movement for each kind.
    mutating func take(_ parts: [Part], to target: String, as kind: String) {
        for part in parts { lots[part.lot].left -= part.amount }
        move(parts, to: target, as: kind)
    }

    private mutating func move(_ parts: [Part], to target: String, as kind: String) {
        for account in [Kind.paid, .bonus] {
            let amount = parts.filter { lots[$0.lot].kind == account }.reduce(0) { $0 + $1.amount }
            if amount > 0 { note(kind, account.rawValue, target, amount) }
        }
    }

    mutating func note(_ kind: String, _ from: String, _ to: String, _ amount: Int64) {
        moves.append(Move(kind: kind, from: from, to: to, amount: amount))
    }

    mutating func add(_ lot: Lot, as kind: String) {
        lots.append(lot)
        note(kind, "issued", lot.kind.rawValue, lot.amount)
    }

    mutating func add(_ debt: Debt) {
        debts.append(debt)
        note("refund", "debt", "issued", debt.amount)
    }

    // MARK: Holds

    /// Sets parts aside.
    mutating func hold(_ id: String, _ hold: Hold) {
        holds[id] = hold
        take(hold.parts, to: "held", as: "reserve")
    }

    /// Ends a hold: spends some of it, and gives the rest back to where it came from, that which would
    /// have been spent last.
    mutating func end(_ id: String, _ state: String, posting posted: Int64) {
        guard var hold = holds[id] else { return }
        hold.state = state
        hold.posted = posted
        holds[id] = hold
        if posted > 0 { note("post", "held", "spent", posted) }
        guard posted < hold.amount else { return }
        let spent = plan(posted, of: hold.parts)
        for kind in [Kind.paid, .bonus] {
            var back: Int64 = 0
            for part in hold.parts where lots[part.lot].kind == kind {
                let used = spent.first { $0.lot == part.lot }?.amount ?? 0
                lots[part.lot].left += part.amount - used
                back += part.amount - used
            }
            if back > 0 { note("void", "held", kind.rawValue, back) }
        }
        setOffDebts(since: hold.since)
    }

    // MARK: Debts

    /// A new lot pays what is owed, the oldest debt first.
    mutating func payDebts(with lot: Int) {
        for debt in debts.indices where debts[debt].open > 0 && lots[lot].left > 0 {
            let amount = min(debts[debt].open, lots[lot].left)
            debts[debt].open -= amount
            lots[lot].left -= amount
            note("debt_payment", "paid", "debt", amount)
        }
    }

    /// What came back pays the debts that would not be there had it never been away, and what would not
    /// have been written off.
    private mutating func setOffDebts(since first: Int) {
        for debt in debts.indices.dropFirst(first) {
            let again = min(debts[debt].writtenOff, available - debts[debt].open)
            if again > 0 {
                debts[debt].writtenOff -= again
                debts[debt].open += again
                note("reversal", "debt", "written_off", again)
            }
            let amount = min(debts[debt].open, available)
            guard amount > 0 else { continue }
            debts[debt].open -= amount
            take(plan(amount, of: whole), to: "debt", as: "debt_payment")
        }
    }

    /// Nobody pays the newest debt.
    mutating func writeOffNewestDebt() {
        guard let last = debts.indices.last, debts[last].open > 0 else { return }
        note("write_off", "written_off", "debt", debts[last].open)
        debts[last].writtenOff += debts[last].open
        debts[last].open = 0
    }
}
