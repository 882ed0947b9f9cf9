// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import Synchronization

/// What the studio knows from the answers that it got.
final class StudioLog: Sendable {
    struct Content {
        var orders: [String: Bool] = [:]
        var bought: [String: Int64] = [:]
        var refunded: [String: Int64] = [:]
        var spent: [String: [Int64]] = [:]

        /// What a customer has less what they owe.
        func worth(of customer: String) -> Int64 {
            ServerUnderTest.amount * (bought[customer, default: 0] - refunded[customer, default: 0])
                - spent[customer, default: []].reduce(0, +)
        }

        /// How many events of a type there must be.
        func count(_ type: String) -> Int? {
            switch type {
            case "purchase.fulfilled": Int(bought.values.reduce(0, +))
            case "grant.reversed": Int(refunded.values.reduce(0, +))
            case "wallet.changed": spent.values.reduce(0) { $0 + $1.count }
            default: nil
            }
        }
    }

    private let state = Mutex(Content())

    var content: Content { state.withLock { $0 } }

    func ordered(_ order: String, isRefunded: Bool) {
        state.withLock { $0.orders[order] = isRefunded }
    }

    func bought(by customer: String) {
        state.withLock { $0.bought[customer, default: 0] += 1 }
    }

    func refunded(to customer: String) {
        state.withLock { $0.refunded[customer, default: 0] += 1 }
    }

    func spent(_ amount: Int64, by customer: String) {
        state.withLock { $0.spent[customer, default: []].append(amount) }
    }
}
