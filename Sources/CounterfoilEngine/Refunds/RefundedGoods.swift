// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilStore

/// How the goods of a sale change by what is known of its refund: a pure comparison of what is out of
/// the customer's hands with what should be, so that settling again changes nothing.
struct RefundedGoods: Hashable {
    /// What the sale gave of each unit.
    private let given: [UnitAmount]

    /// What is to be taken back altogether of each unit, in the same order.
    private(set) var wanted: [UnitAmount] = []

    /// What the sale's earlier revisions took back altogether, in the same order.
    private(set) var taken: [UnitAmount] = []

    /// Whether the sale's rights stand.
    let rightsStand: Bool

    /// An amount of one unit, the bonus apart.
    struct UnitAmount: Hashable {
        let unit: UnitID
        let holder: CatalogueUnit.Holder
        var paid: Int64
        var bonus: Int64
    }

    /// - Parameters:
    ///   - frozen: What the grant gave for the whole quantity.
    ///   - revisions: The signed goods of the sale's later revisions.
    ///   - share: What Apple took back; nil for nothing.
    init(
        frozen: [Goods], quantity: Int64, revisions: [[Goods]], share: RefundShare?
    ) {
        rightsStand = share == nil
        given = Self.sums(of: frozen)
        let changes = Self.sums(of: revisions.flatMap(\.self))
        for amount in given {
            var (wanted, taken) = (amount, amount)
            wanted.paid = share?.part(of: amount.paid, quantity: quantity) ?? 0
            wanted.bonus = share?.part(of: amount.bonus, quantity: quantity) ?? 0
            let change = changes.first { $0.unit == amount.unit && $0.holder == amount.holder }
            taken.paid = -(change?.paid ?? 0)
            taken.bonus = -(change?.bonus ?? 0)
            self.wanted.append(wanted)
            self.taken.append(taken)
        }
    }

    /// What a revision would record: negative where it takes, positive where it gives back.
    var change: [Goods] {
        zip(taken, wanted).compactMap { taken, wanted in
            let (paid, bonus) = (taken.paid - wanted.paid, taken.bonus - wanted.bonus)
            guard paid != 0 || bonus != 0 else { return nil }
            return .unit(taken.unit, amount: paid, bonus: bonus, holder: taken.holder)
        }
    }

    /// Whether less is to be taken than was: then what was taken is given back first, each from where
    /// it came, and the smaller share is taken anew.
    var givesBack: Bool {
        zip(taken, wanted).contains { $0.paid > $1.paid || $0.bonus > $1.bonus }
    }

    /// What the sale gives altogether once the change is made.
    var remaining: [Goods] {
        zip(given, wanted).map { given, wanted in
            .unit(
                given.unit, amount: given.paid - wanted.paid, bonus: given.bonus - wanted.bonus,
                holder: given.holder)
        }
    }

    private static func sums(of goods: [Goods]) -> [UnitAmount] {
        var sums: [UnitAmount] = []
        for case .unit(let unit, let amount, let bonus, let holder) in goods {
            if let place = sums.firstIndex(where: { $0.unit == unit && $0.holder == holder }) {
                sums[place].paid += amount
                sums[place].bonus += bonus
            } else {
                sums.append(UnitAmount(unit: unit, holder: holder, paid: amount, bonus: bonus))
            }
        }
        return sums.sorted { ($0.unit, $0.holder.rawValue) < ($1.unit, $1.holder.rawValue) }
    }
}
