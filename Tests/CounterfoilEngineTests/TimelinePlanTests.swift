// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilDatabase
import CounterfoilStore
import CounterfoilTestSupport
import Testing

@testable import CounterfoilEngine

struct HowATimelineIsFound {
    @Test("A page of a customer's events is a walk along an index, however many others there are")
    func plan() async throws {
        let folder = TemporaryFolder()
        let shop = try await Shop(
            in: folder, on: try await DatabaseEngine.sqlite.open(in: folder))
        let plan = try await shop.engine.database.read { transaction in
            try transaction.rows(
                "EXPLAIN QUERY PLAN " + EventRecord.selectOfCustomer,
                [
                    .value("game"), .value("Production"), .bytes([]), .integer(0), .bytes([]),
                    .integer(100),
                ]
            ).map { try $0.text(3) }
        }
        #expect(plan.count == 1, "\(plan)")
        #expect(plan[0].hasPrefix("SEARCH events USING INDEX"))
        #expect(plan[0].contains("customer_key=? AND (created_at,event_id)>(?,?)"))
    }
}
