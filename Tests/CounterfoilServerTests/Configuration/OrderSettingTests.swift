// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilEngine
import CounterfoilServer
import Testing

struct SettingsOfOrders {
    private func read(_ orders: String) throws(ConfigurationError) -> OrderPolicy? {
        let text = """
            { "database": { "sqlite": "a.db" }, "apps": [{ "id": "game",
              "bundle_id": "com.example.game", "app_apple_id": 1, "catalogue": "catalog.json",
              "deliver_from": { "Production": "2026-01-01T00:00:00Z" }\(orders) }] }
            """
        return try ServerConfiguration(reading: Array(text.utf8), name: "c.json").apps.first?.orders
    }

    @Test("What is not set has its default")
    func defaults() throws {
        #expect(try read("") == OrderPolicy())
        #expect(try read(#", "orders": {}"#) == OrderPolicy())
        #expect(
            try read(#", "orders": { "token_scope": "customer", "open_hours": 2 }"#)
                == OrderPolicy(tokenScope: .customer, openFor: .seconds(7200)))
        #expect(
            try read(#", "orders": { "pending_hours": 1 }"#)
                == OrderPolicy(pendingFor: .seconds(3600)))
    }

    @Test(
        "Each fault is named",
        arguments: [
            (#"{ "token_scope": "device" }"#, "apps[0].orders.token_scope is \"device\""),
            (#"{ "open_hours": 0 }"#, "apps[0].orders.open_hours is 0"),
            (#"{ "pending_hours": 721 }"#, "apps[0].orders.pending_hours is 721"),
            (#"{ "open_days": 1 }"#, "apps[0].orders.open_days is unknown here"),
        ])
    func faults(orders: String, message: String) {
        let error = #expect(throws: ConfigurationError.self) {
            _ = try read(#", "orders": "# + orders)
        }
        #expect(error?.description.contains(message) == true, "\(String(describing: error))")
    }
}
