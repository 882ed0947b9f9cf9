// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import CounterfoilHTTPServer

@Suite("The budget of large bodies")
struct BudgetOfLargeBodies {
    @Test("One network has half of it at most, and gives back what it took")
    func halves() {
        let budget = BufferBudget(maximumByteCount: 100)
        #expect(budget.reserve(50, forBodyOf: "a"))
        #expect(!budget.reserve(1, forBodyOf: "a"))
        #expect(budget.reserve(50, forBodyOf: "b"))
        #expect(!budget.reserve(1, forBodyOf: "c"))
        budget.release(20, ofBodyOf: "a")
        #expect(budget.reserve(20, forBodyOf: "c"))
        #expect(budget.takeHighest() == 100)
        budget.release(30, ofBodyOf: "a")
        budget.release(50, ofBodyOf: "b")
        budget.release(20, ofBodyOf: "c")
        #expect(budget.takeHighest() == 100)
        #expect(budget.takeHighest() == 0)
        #expect(budget.reserve(50, forBodyOf: "a"))
    }

    @Test("Answers may take all of it, whoever they are for")
    func answers() {
        let budget = BufferBudget(maximumByteCount: 100)
        #expect(budget.reserve(100))
        #expect(!budget.reserve(1) && !budget.reserve(1, forBodyOf: "a"))
        budget.release(100)
        #expect(budget.reserve(50, forBodyOf: "a") && budget.reserve(50))
    }
}
