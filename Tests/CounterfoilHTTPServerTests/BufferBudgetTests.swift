// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import CounterfoilHTTPServer

@Suite("The budget of large bodies")
struct BudgetOfLargeBodies {
    @Test("One network has half of it at most, and gives back what it took")
    func halves() {
        let budget = BufferBudget(maximumByteCount: 100)
        #expect(budget.reserve(50, for: "a"))
        #expect(!budget.reserve(1, for: "a"))
        #expect(budget.reserve(50, for: "b"))
        #expect(!budget.reserve(1, for: "c"))
        budget.release(20, of: "a")
        #expect(budget.reserve(20, for: "c"))
        #expect(budget.takeHighest() == 100)
        budget.release(30, of: "a")
        budget.release(50, of: "b")
        budget.release(20, of: "c")
        #expect(budget.takeHighest() == 100)
        #expect(budget.takeHighest() == 0)
        #expect(budget.reserve(50, for: "a"))
    }
}
