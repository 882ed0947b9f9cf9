// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilStore
import Testing

@testable import CounterfoilEngine

/// One transaction in a table: its id, when it was bought, and when it was refunded.
private struct Bought: Sendable {
    let id: String
    let second: Int64
    let refunds: [RefundHistory.Interval]

    init(_ id: String, _ second: Int64, _ refunds: (Int64, Int64?)...) {
        self.id = id
        self.second = second
        self.refunds = refunds.map { RefundHistory.Interval(after: $0.0, through: $0.1) }
    }
}

@Suite("Which transactions of an original are one sale")
struct SalesOfAnOriginal {
    private struct Case: Sendable {
        let story: String
        let bought: [Bought]
        let sales: [[String]]
    }

    private static let table: [Case] = [
        Case(story: "bought once", bought: [Bought("A", 0)], sales: [["A"]]),
        Case(
            story: "restored", bought: [Bought("A", 0), Bought("B", 10), Bought("C", 20)],
            sales: [["A", "B", "C"]]),
        Case(
            story: "bought again after a refund that stands",
            bought: [Bought("A", 0, (10, nil)), Bought("B", 20)], sales: [["A"], ["B"]]),
        Case(
            story: "handed out in the second of the refund",
            bought: [Bought("A", 0, (10, nil)), Bought("B", 10)], sales: [["A", "B"]]),
        Case(
            story: "bought again between the refund and its reversal",
            bought: [Bought("A", 0, (10, 30)), Bought("B", 20)], sales: [["A"], ["B"]]),
        Case(
            story: "restored after the reversal",
            bought: [Bought("A", 0, (10, 30)), Bought("B", 40)], sales: [["A", "B"]]),
        Case(
            story: "bought in the second of the reversal",
            bought: [Bought("A", 0, (10, 30)), Bought("B", 30)], sales: [["A"], ["B"]]),
        Case(
            story: "a restore while two sales stand is of the newer one",
            bought: [Bought("A", 0, (10, 30)), Bought("B", 20), Bought("C", 40)],
            sales: [["A"], ["B", "C"]]),
        Case(
            story: "a restore while the older one alone stands again",
            bought: [Bought("A", 0, (10, 30)), Bought("B", 20, (35, nil)), Bought("C", 40)],
            sales: [["A", "C"], ["B"]]),
        Case(
            story: "a refund that only a restored copy tells ends its sale",
            bought: [Bought("A", 0), Bought("B", 5, (10, nil)), Bought("C", 20)],
            sales: [["A", "B"], ["C"]]),
        Case(
            story: "refunded, reversed, refunded",
            bought: [
                Bought("A", 0, (10, 30), (50, nil)), Bought("B", 20), Bought("C", 40, (45, nil)),
                Bought("D", 60),
            ],
            sales: [["A"], ["B", "C"], ["D"]]),
        Case(
            story: "each refunded before the next",
            bought: [Bought("A", 0, (10, nil)), Bought("B", 20, (30, nil)), Bought("C", 40)],
            sales: [["A"], ["B"], ["C"]]),
        Case(
            story: "two in one second are one sale", bought: [Bought("B", 0), Bought("A", 0)],
            sales: [["A", "B"]]),
    ]

    @Test("The rule holds in whatever order the transactions come", arguments: table.indices)
    func rule(_ index: Int) throws {
        let example = Self.table[index]
        for order in Self.permutations(of: example.bought) {
            let purchases = try order.map {
                SalesOfOriginal.Purchase(
                    id: try TransactionID($0.id), second: $0.second, refunds: $0.refunds)
            }
            let sales = SalesOfOriginal(purchases).sales.map { $0.map(\.rawValue) }
            #expect(sales == example.sales, "\(example.story): \(order.map(\.id))")
        }
    }

    @Test("A sale is stored where its goods were given, and two never under one number")
    func numbers() throws {
        let (a, b, c) = (try TransactionID("A"), try TransactionID("B"), try TransactionID("C"))
        func numbers(
            _ sales: [[TransactionID]], _ grants: [(Int, TransactionID, Bool)]
        ) -> SaleNumbers {
            SaleNumbers(
                of: sales,
                grants: grants.map { .init(number: $0.0, transaction: $0.1, hasGoods: $0.2) })
        }
        #expect(numbers([[a], [b]], []).numbers == [0, 1])
        // B came first and was given its goods as the only one known.
        #expect(numbers([[a], [b]], [(0, b, true)]).numbers == [1, 0])
        #expect(numbers([[a], [b], [c]], [(0, a, true), (1, c, true)]).numbers == [0, 2, 1])
        // B turned out to be a restore of A.
        let merged = numbers([[a, b], [c]], [(0, a, true), (1, b, true)])
        #expect(merged.numbers == [0, 2])
        #expect(merged.surplus == [1])
        // What waits gives way to what was given.
        let waiting = numbers([[a, b]], [(0, a, false), (1, b, true)])
        #expect(waiting.numbers == [1])
        #expect(waiting.surplus == [0])
    }

    private static func permutations(of bought: [Bought]) -> [[Bought]] {
        guard bought.count > 1 else { return [bought] }
        return bought.indices.flatMap { index in
            var rest = bought
            let first = rest.remove(at: index)
            return permutations(of: rest).map { [first] + $0 }
        }
    }
}

@Suite("What is known of refunds")
struct HistoriesOfRefunds {
    /// What a copy says: a refund at a second with the second of its signature, or a reversal.
    enum Word: Sendable {
        case refund(Int64, signed: Int64)
        case reversal(Int64)
    }

    private static let table: [([Word], Bool, [(Int64, Int64?)])] = [
        ([], false, []),
        ([.reversal(30)], false, []),
        ([.refund(10, signed: 12)], true, [(10, nil)]),
        ([.refund(10, signed: 12), .refund(10, signed: 20)], true, [(10, nil)]),
        ([.refund(10, signed: 12), .reversal(30)], false, [(10, 30)]),
        // Two reversals of one refund: the first counts.
        ([.refund(10, signed: 12), .reversal(40), .reversal(30)], false, [(10, 30)]),
        // A reversal from before the last copy that still tells the refund undid an earlier state.
        ([.refund(10, signed: 35), .reversal(30), .reversal(50)], false, [(10, 50)]),
        // Only a copy that was fetched says that it is over: since the last that told it.
        ([.refund(10, signed: 12), .refund(10, signed: 18)], false, [(10, 18)]),
        (
            [.refund(10, signed: 12), .reversal(30), .refund(50, signed: 52)], true,
            [(10, 30), (50, nil)]
        ),
        // One refund with another date, or a reversal that was missed: no gap.
        ([.refund(10, signed: 12), .refund(50, signed: 52)], true, [(10, 50), (50, nil)]),
        (
            [.refund(10, signed: 12), .refund(20, signed: 22), .reversal(30)], false,
            [(10, 20), (20, 30)]
        ),
    ]

    @Test(
        "It tells intervals, the same in whatever order the copies come", arguments: table.indices)
    func intervals(_ index: Int) {
        let (words, isRefunded, intervals) = Self.table[index]
        let expected = intervals.map { RefundHistory.Interval(after: $0.0, through: $0.1) }
        for order in [words, words.reversed(), words + words] {
            var history = RefundHistory()
            for word in order {
                switch word {
                case .refund(let second, let signed):
                    history.addRefund(
                        at: Instant(secondsSinceEpoch: second) + .milliseconds(400),
                        signed: Instant(secondsSinceEpoch: signed))
                case .reversal(let signed):
                    history.addReversal(signed: Instant(secondsSinceEpoch: signed))
                }
            }
            #expect(history.intervals(isRefunded: isRefunded) == expected)
        }
    }

    @Test("It stays short however often Apple changes its mind, and keeps the earliest")
    func bounded() {
        var (one, other) = (RefundHistory(), RefundHistory())
        for round in 0..<Int64(100) {
            for (history, number) in [(0, round), (1, 99 - round)] {
                let date = Instant(secondsSinceEpoch: number * 100)
                if history == 0 {
                    one.addRefund(at: date, signed: date)
                    one.addReversal(signed: date + .seconds(50))
                } else {
                    other.addRefund(at: date, signed: date)
                    other.addReversal(signed: date + .seconds(50))
                }
            }
        }
        #expect(one == other)
        #expect(one.refunds.count == 20)
        #expect(one.intervals(isRefunded: true).first == .init(after: 0, through: 50))
    }
}
