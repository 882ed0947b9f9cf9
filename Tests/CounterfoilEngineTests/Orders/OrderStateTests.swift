// SPDX-License-Identifier: Apache-2.0
import CounterfoilStore
import Foundation
import Testing

@testable import CounterfoilEngine

struct TheStatesOfAnOrder {
    /// State, then what follows on `deferred`, `abandoned`, `expired`, `paid`, `granted`, `refunded`.
    private static let table: [(OrderState, [OrderState])] = [
        (.open, [.pending, .cancelled, .lapsed, .paid, .fulfilled, .refunded]),
        (.pending, [.pending, .cancelled, .lapsed, .paid, .fulfilled, .refunded]),
        (.cancelled, [.pending, .cancelled, .cancelled, .paid, .fulfilled, .refunded]),
        (.lapsed, [.pending, .cancelled, .lapsed, .paid, .fulfilled, .refunded]),
        (.paid, [.paid, .paid, .paid, .paid, .fulfilled, .refunded]),
        (.fulfilled, [.fulfilled, .fulfilled, .fulfilled, .paid, .fulfilled, .refunded]),
        (.refunded, [.refunded, .refunded, .refunded, .paid, .fulfilled, .refunded]),
    ]

    @Test("Each state follows each input as the table says")
    func transitions() {
        #expect(Self.table.map(\.0) == OrderState.allCases)
        #expect(
            OrderInput.allCases == [.deferred, .abandoned, .expired, .paid, .granted, .refunded])
        for (state, following) in Self.table {
            for (input, next) in zip(OrderInput.allCases, following) {
                #expect(state.after(input) == next, "\(state) after \(input)")
            }
        }
    }

    /// Rows of seven words between backquotes: a state, and what follows.
    private static func documentedRows() throws -> [[String]] {
        let place = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("docs/orders.md")
        let text = try String(contentsOf: place, encoding: .utf8)
        return text.split(separator: "\n").compactMap { line in
            let words = line.split(separator: "|").map {
                $0.trimmingCharacters(in: CharacterSet(charactersIn: " `"))
            }
            return words.count == 7 && OrderState(rawValue: words[0]) != nil ? words : nil
        }
    }

    @Test("The table in docs/orders.md is this one")
    func documented() throws {
        #expect(
            try Self.documentedRows()
                == Self.table.map { [$0.rawValue] + $1.map(\.rawValue) })
    }

    @Test("The same input twice is the same as once")
    func repetition() {
        for state in OrderState.allCases {
            for input in OrderInput.allCases {
                let once = state.after(input)
                #expect(once.after(input) == once, "\(state) after \(input)")
            }
        }
    }

    private static let none = OrderPayment(sale: "a", isRevoked: false, isGranted: false)
    private static let granted = OrderPayment(sale: "b", isRevoked: false, isGranted: true)
    private static let refunded = OrderPayment(sale: "c", isRevoked: true, isGranted: true)

    @Test(
        "Of several payments the best one speaks for all",
        arguments: [
            ([], nil), ([none], .paid), ([granted], .granted), ([refunded], .refunded),
            ([none, granted], .granted), ([refunded, none], .paid),
            ([none, granted, refunded], .granted), ([refunded, refunded], .refunded),
        ] as [([OrderPayment], OrderInput?)])
    func several(payments: [OrderPayment], input: OrderInput?) {
        #expect(OrderInput(payments) == input)
        #expect(OrderInput(payments.reversed()) == input)
    }
}
