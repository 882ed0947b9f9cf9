// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilStore
import CounterfoilTestSupport
import Testing

@testable import CounterfoilEngine

@Suite("Delivery states of a grant", .onEveryDatabase)
struct DeliveryStates {
    /// Every state and every word of the game server; nil where the word is refused.
    private static let transitions: [(GrantState, GrantResult, GrantState?)] = [
        (.due, .delivered, .delivered), (.due, .rejected, .rejected), (.due, .later, .due),
        (.sent, .delivered, .delivered), (.sent, .rejected, .rejected), (.sent, .later, .due),
        (.delivered, .delivered, .delivered), (.delivered, .rejected, nil),
        (.delivered, .later, nil),
        (.rejected, .delivered, .delivered), (.rejected, .rejected, .rejected),
        (.rejected, .later, nil),
        (.parked, .delivered, nil), (.parked, .rejected, nil), (.parked, .later, nil),
        (.deliveredElsewhere, .delivered, nil), (.deliveredElsewhere, .rejected, nil),
        (.deliveredElsewhere, .later, nil),
    ]

    @Test("Each word leads from each state where the table says")
    func table() {
        #expect(
            Self.transitions.count == GrantState.allCases.count * GrantResult.allCases.count)
        for (state, result, next) in Self.transitions {
            #expect(state.after(result) == next, "\(state) \(result)")
        }
    }

    @Test("An acknowledgement is kept; the ledger does not move")
    func acknowledge() async throws {
        let shop = try await Shop()
        try await shop.submit(shop.purchase("coins100"))
        let due = try await shop.engine.grants(
            of: Shop.app, in: .production, state: .due, after: nil, limit: 10)
        let id = try #require(due.first?.grant.grantID)
        for _ in 0..<2 {
            let outcome = try await shop.engine.acknowledge(
                id, of: Shop.app, .delivered, note: nil)
            guard case .recorded(let view) = outcome else {
                Issue.record("\(String(describing: outcome))")
                return
            }
            #expect(view.grant.state == .delivered)
            #expect(view.customer?.rawValue == "u1")
        }
        let refused = try await shop.engine.acknowledge(
            id, of: Shop.app, .rejected, note: "no such player")
        guard case .refused(.delivered) = refused else {
            Issue.record("\(String(describing: refused))")
            return
        }
        #expect(try await shop.coins() == [100, 10])
        let foreign = try await shop.engine.acknowledge(
            id, of: try AppID("other"), .delivered, note: nil)
        #expect(foreign.map { "\($0)" } == nil)
    }
}
