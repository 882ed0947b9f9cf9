// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilSimulator
import CounterfoilTestSupport
import Foundation
import Testing

@testable import CounterfoilEngine

@Suite("The documented forms of events")
struct DocumentedFormsOfEvents {
    private static func schema(_ type: String) throws -> JSONSchema {
        try JSONSchema("\(type).schema.json")
    }

    @Test(
        "Each type has a schema in docs/events, whose examples fit it",
        arguments: EventType.allCases)
    func examples(_ type: EventType) throws {
        let schema = try Self.schema(type.rawValue)
        #expect(schema.document["title"]?.string == type.rawValue)
        let examples = try #require(schema.document["examples"]?.array)
        #expect(!examples.isEmpty)
        for example in examples {
            #expect(example["type"]?.string == type.rawValue)
            #expect(try schema.faults(example) == [])
        }
    }

    @Test("No schema is of a type that is not published")
    func strangers() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: JSONSchema.folder.path)
        let types = Set(EventType.allCases.map { "\($0.rawValue).schema.json" })
        #expect(Set(names).subtracting(types) == ["event.schema.json"])
    }

    @Test("A schema finds what does not fit")
    func faults() throws {
        let schema = try Self.schema("purchase.fulfilled")
        let example = try #require(schema.document["examples"]?.array?.first?.object)
        func with(_ key: String, _ value: JSONValue?) throws -> [String] {
            var members = example.members.filter { $0.key != key }
            if let value { members.append(.init(key: key, value: value)) }
            return try schema.faults(.object(JSONObject(members)))
        }
        #expect(try with("sequence", nil) == ["event.sequence is missing"])
        #expect(try with("more", 1) == ["event.more is unknown"])
        #expect(try with("sequence", "7").count == 1)
        #expect(try with("sequence", 0).count == 1)
        #expect(try with("type", "purchase.parked").count == 1)
        #expect(try with("environment", "Xcode").count == 1)
        #expect(try with("data", [:]).count == 7)
    }

    @Test("What is published fits the schema of its type")
    func published() async throws {
        let world = try await Delivering()
        try await world.endpoint { $0.types = ["purchase.fulfilled", "purchase.parked"] }
        let shop = world.shop
        try await world.buy("T1")
        try await shop.submit(shop.purchase("unknown", "T2"))
        try await shop.submit(shop.purchase("noads", "T3", .nonConsumable))
        try await shop.submit(shop.purchase("pass30", "T4", .nonRenewingSubscription))
        try await shop.submit(shop.purchase("sword1", "T5"))
        var old = shop.purchase("noads", "T6", .nonConsumable)
        old.purchaseDate = Shop.openingDay - .seconds(86_400)
        try await shop.submit(old, by: "u2")
        world.receiver.answer { _, _ in .status(410) }
        try await world.send()
        try await world.engine.numberEvents()
        let events = try await world.engine.events(of: Shop.app, after: 0, limit: 100)
        #expect(events.count >= 7)
        for event in events {
            #expect(try JSONSchema.faults(ofEvent: event.json) == [])
        }
    }
}
