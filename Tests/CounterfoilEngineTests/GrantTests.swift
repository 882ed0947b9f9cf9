// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilDatabase
import CounterfoilStore
import CounterfoilTestSupport
import Foundation
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
        (.withdrawn, .delivered, nil), (.withdrawn, .rejected, nil), (.withdrawn, .later, nil),
    ]

    @Test("Each word leads from each state where the table says")
    func table() {
        #expect(
            Self.transitions.count == GrantState.allCases.count * GrantResult.allCases.count)
        for (state, result, next) in Self.transitions {
            #expect(state.after(result) == next, "\(state) \(result)")
        }
    }

    /// Says one thing behind the other about one grant; what stands after each, and when it changed.
    private func tell(
        _ words: [(GrantResult, String?)]
    ) async throws -> [(note: String?, changedAt: Int64)] {
        let shop = try await Shop()
        try await shop.submit(shop.purchase("coins100"))
        let due = try await shop.engine.grants(
            of: Shop.app, in: .production, state: .due, after: nil, limit: 10)
        let id = try #require(due.first?.grant.grantID)
        let start = shop.clock.now
        var seen: [(note: String?, changedAt: Int64)] = []
        for (result, note) in words {
            shop.clock.advance(by: .seconds(1))
            _ = try await shop.acknowledge(id, result, note: note)
            let grant = try #require(try await shop.engine.grant(id, of: Shop.app)).grant
            seen.append((grant.note, grant.updatedAt.since(start).wholeMilliseconds / 1000))
        }
        return seen
    }

    @Test("The same result again changes neither note nor time, whatever it notes")
    func sameAgain() async throws {
        for result in GrantResult.allCases {
            let seen = try await tell([(result, "first"), (result, "second"), (result, nil)])
            #expect(seen.map(\.note) == ["first", "first", "first"], "\(result)")
            #expect(seen.map(\.changedAt) == [1, 1, 1], "\(result)")
        }
    }

    @Test("A new state without a note keeps the earlier one; with a note it takes that")
    func notes() async throws {
        let kept = try await tell([(.rejected, "bag is full"), (.delivered, nil)])
        #expect(kept.map(\.note) == ["bag is full", "bag is full"])
        #expect(kept.map(\.changedAt) == [1, 2])
        let replaced = try await tell([(.rejected, "bag is full"), (.delivered, "by hand")])
        #expect(replaced.map(\.note) == ["bag is full", "by hand"])
    }

    @Test("The table of the reference says the same")
    func documented() throws {
        let place = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("docs/http.md")
        let states = Set(GrantState.allCases.map(\.rawValue))
        let rows = try String(contentsOf: place, encoding: .utf8).split(separator: "\n")
            .map { line in
                line.split(separator: "|").map {
                    $0.trimmingCharacters(in: .whitespaces.union(["`"]))
                }
            }
            .filter { $0.count == 4 && states.contains($0[0]) }
        let told = Self.transitions.map { state, result, next in
            [state.rawValue, result.rawValue, next?.rawValue ?? "409"]
        }
        let results = ["delivered", "rejected", "later"]
        let written = rows.flatMap { row in
            zip(results, row.dropFirst()).map { [row[0], $0, $1] }
        }
        #expect(written.count == told.count)
        #expect(Set(written) == Set(told))
    }

    @Test("An acknowledgement is kept; the ledger does not move")
    func acknowledge() async throws {
        let shop = try await Shop()
        try await shop.submit(shop.purchase("coins100"))
        let due = try await shop.engine.grants(
            of: Shop.app, in: .production, state: .due, after: nil, limit: 10)
        let id = try #require(due.first?.grant.grantID)
        for _ in 0..<2 {
            let outcome = try await shop.acknowledge(id, .delivered, note: nil)
            guard case .recorded(let view) = outcome else {
                Issue.record("\(String(describing: outcome))")
                return
            }
            #expect(view.grant.state == .delivered)
            #expect(view.customer?.rawValue == "u1")
        }
        let refused = try await shop.acknowledge(
            id, .rejected, note: "no such player")
        guard case .refused(.delivered) = refused else {
            Issue.record("\(String(describing: refused))")
            return
        }
        #expect(try await shop.coins() == [100, 10])
        let foreign = try await shop.acknowledge(
            id, of: try AppID("other"), .delivered, note: nil)
        #expect(foreign.map { "\($0)" } == nil)
    }
}

extension Shop {
    fileprivate func acknowledge(
        _ id: UniqueID, of app: AppID = Shop.app, _ result: GrantResult, note: String?
    ) async throws -> AcknowledgementOutcome? {
        let engine = engine
        return try await engine.database.write { transaction in
            try engine.acknowledge(id, of: app, result, note: note, in: transaction)
        }
    }
}
