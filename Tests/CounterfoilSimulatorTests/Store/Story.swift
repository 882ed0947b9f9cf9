// SPDX-License-Identifier: Apache-2.0
import CounterfoilApple
import CounterfoilCore
import CounterfoilSimulator
import Testing

/// One row of the table in docs/simulated-store.md: a verb, a situation, and what is announced.
struct Story: Sendable, CustomTestStringConvertible {
    let verb: String
    let situation: String
    let told: [String]

    /// Brings about the situation; what it announces does not count.
    let before: @Sendable (inout SimulatedStore) throws -> Void

    /// The verb, and where the row says so the time after it.
    let play: @Sendable (inout SimulatedStore) throws -> Void

    init(
        _ verb: String, _ situation: String, _ told: [String],
        before: @escaping @Sendable (inout SimulatedStore) throws -> Void = { _ in },
        _ play: @escaping @Sendable (inout SimulatedStore) throws -> Void
    ) {
        self.verb = verb
        self.situation = situation
        self.told = told
        self.before = before
        self.play = play
    }

    var testDescription: String { "\(verb): \(situation)" }

    /// The row as the document has it.
    var row: String {
        let names = told.isEmpty ? "none" : told.map { "`\($0)`" }.joined(separator: ", ")
        return "| `\(verb)` | \(situation) | \(names) |"
    }

    static let all = purchases + renewals + changes + money + families + others

    static func subscribe(_ store: inout SimulatedStore) throws {
        _ = try store.bought("gold_monthly")
    }

    static func subscribeToSilver(_ store: inout SimulatedStore) throws {
        _ = try store.bought("silver_monthly")
    }

    static func fail(_ store: inout SimulatedStore) throws {
        try subscribe(&store)
        try store.setBillingFailing(true, of: "u1")
        try store.advance(days: 31)
    }

    static func failInGrace(_ store: inout SimulatedStore) throws {
        store.settings.graceDays = 16
        try fail(&store)
    }

    static func expire(_ store: inout SimulatedStore) throws {
        try subscribe(&store)
        try store.expire(try first(store))
    }

    /// The first transaction of the first account.
    static func first(_ store: SimulatedStore) throws -> String {
        try store.transactions(of: "u1").first?.transactionID ?? ""
    }
}
