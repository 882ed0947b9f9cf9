// SPDX-License-Identifier: Apache-2.0

import CounterfoilApple
import CounterfoilCore
import CounterfoilEngine
import CounterfoilServer
import Testing

private func read(_ text: String) throws(ConfigurationError) -> ServerConfiguration {
    try ServerConfiguration(reading: Array(text.utf8), name: "c.json")
}

struct TheFirstConfigurationWorks {
    private let start = Instant(millisecondsSinceEpoch: 1_700_000_000_000)

    private func template(_ store: ConfigurationTemplate.Store) throws -> ConfigurationTemplate {
        ConfigurationTemplate(
            app: try AppID("ga-me.1"), bundleID: try BundleID("com.example.game"), store: store,
            deliverFrom: start)
    }

    @Test("What init writes for a real app is read back")
    func real() throws {
        let configuration = try read(template(.apple(appAppleID: 42)).configuration)
        #expect(configuration.listen.address == "127.0.0.1")
        #expect(configuration.listen.port == 8480)
        #expect(configuration.database == .sqlite(path: "var/counterfoil.db"))
        #expect(configuration.maximumBodyByteCount == 8 << 20)
        let app = try #require(configuration.apps.first)
        #expect(app.id.rawValue == "ga-me.1")
        #expect(app.store == .apple(appAppleID: 42))
        #expect(app.deliverFrom == [.production: start, .sandbox: start])
        #expect(app.sandbox == .isolate)
        #expect(app.ownership.nonConsumable == .keep)
    }

    @Test("What init writes for a simulated app is read back")
    func simulated() throws {
        let configuration = try read(
            template(.simulated(rootFiles: ["a.pem", "b c.pem"])).configuration)
        #expect(configuration.apps.first?.store == .simulated(rootFiles: ["a.pem", "b c.pem"]))
    }

    @Test("The catalogue beside it is read, and the app becomes a policy")
    func policy() throws {
        let configuration = try read(template(.apple(appAppleID: 42)).configuration)
        let policy = try #require(configuration.apps.first).policy { path in
            #expect(path == ConfigurationTemplate.catalogueName)
            return Array(ConfigurationTemplate.catalogue.utf8)
        }
        #expect(policy.catalogue.products.count == 4)
        #expect(!policy.isSimulated)
    }
}

struct FaultsOfAConfigurationAreNamed {
    private static let app = #"""
        "id": "game", "bundle_id": "com.example.game", "catalogue": "catalog.json",
          "deliver_from": { "Production": "2026-01-01T00:00:00Z" }
        """#

    private static func file(_ app: String, _ more: String = "") -> String {
        "{ \"database\": { \"sqlite\": \"a.db\" },\(more)\n  \"apps\": [{ \(app) }] }"
    }

    @Test(
        "Each fault has file, line, path and what is expected",
        arguments: [
            ("{", "c.json:1:"),
            ("{}", "c.json:1: database.sqlite is missing"),
            ("{}", "c.json:1: apps is missing"),
            ("[]", "c.json:1: is an array where an object is expected"),
            (file(app), "c.json:2: apps[0].app_apple_id is missing; expected an integer"),
            (file(app + ", \"app_apple_id\": 0"), "apps[0].app_apple_id is 0; expected"),
            (file(app + ", \"appAppleId\": 1"), "c.json:3: apps[0].appAppleId is unknown here"),
            (file(app, "\n\"listen\": {\"port\": 65536},"), "c.json:2: listen.port is 65536"),
            (file(app, "\n\"lissen\": {},"), "c.json:2: lissen is unknown here"),
            (file(app, "\"limits\": {\"body_bytes\": 1},"), "limits.body_bytes is 1; expected"),
            (
                file(app + ", \"simulated\": true"),
                "apps[0].roots is missing; expected a list"
            ),
            (
                file(app + ", \"simulated\": true, \"roots\": [\"r\"], \"app_apple_id\": 1"),
                "apps[0].app_apple_id is Apple's, and this app is simulated"
            ),
            (
                file(app + ", \"app_apple_id\": 1, \"roots\": [\"r\"]"),
                "apps[0].roots is for simulated apps"
            ),
            (
                file(app + ", \"app_apple_id\": 1, \"sandbox\": {\"policy\": \"maybe\"}"),
                "apps[0].sandbox.policy is \"maybe\"; expected one of"
            ),
            (
                file(app + ", \"app_apple_id\": 1, \"sandbox\": {\"policy\": \"allow_listed\"}"),
                "apps[0].sandbox.customers is missing"
            ),
            (
                file(app + ", \"app_apple_id\": 1, \"ownership\": {\"consumable\": \"share\"}"),
                "apps[0].ownership.consumable is unknown here"
            ),
            (
                file(app + ", \"app_apple_id\": 1, \"denied_leaf_serials\": [\"xyz\"]"),
                "apps[0].denied_leaf_serials[0] is no serial number in hexadecimal digits"
            ),
        ])
    func fault(text: String, message: String) {
        let error = #expect(throws: ConfigurationError.self) { _ = try read(text) }
        #expect(error?.description.contains(message) == true, "\(String(describing: error))")
    }

    @Test(
        "A wrong or missing cut-over is a fault",
        arguments: [
            (#"{}"#, "names no environment"),
            (#"{ "Production": "yesterday" }"#, "is no time"),
            (#"{ "production": "2026-01-01T00:00:00Z" }"#, "is no environment"),
            ("7", "is 7; expected an object"),
        ])
    func deliverFrom(value: String, message: String) {
        let text = Self.file(
            """
            "id": "game", "bundle_id": "b", "catalogue": "c", "app_apple_id": 1,
              "deliver_from": \(value)
            """)
        let error = #expect(throws: ConfigurationError.self) { _ = try read(text) }
        #expect(error?.description.contains("deliver_from") == true)
        #expect(error?.description.contains(message) == true, "\(String(describing: error))")
    }

    @Test("One app named twice is a fault")
    func twice() {
        let app = Self.app + ", \"app_apple_id\": 1"
        let error = #expect(throws: ConfigurationError.self) {
            _ = try read(Self.file(app + " }, { " + app))
        }
        #expect(error?.description.contains("names the app \"game\" a second time") == true)
    }

    @Test("A catalogue that cannot be read is named with its own lines")
    func catalogue() throws {
        let app = try #require(try read(Self.file(Self.app + ", \"app_apple_id\": 1")).apps.first)
        let error = #expect(throws: ConfigurationError.self) {
            _ = try app.policy { _ in Array("{\n\"products\": [{}] }".utf8) }
        }
        #expect(error?.description.contains("catalog.json:2: products[0].id is missing") == true)
    }
}
