// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilTestSupport
import Foundation
import Testing

@testable import counterfoil

/// The commands that read `.storekit` files.
struct StoreKitCommands {
    private static let now = Instant(secondsSinceEpoch: 1_796_000_000)
    private let folder = TemporaryFolder()

    private static let text = """
        {
          "version": { "major": 4, "minor": 0 },
          "products": [
            {
              "productID": "game.coins100", "type": "Consumable", "displayPrice": "0.99",
              "internalID": "1", "referenceName": "Coins", "familyShareable": false,
              "localizations": [
                { "locale": "en_US", "displayName": "Coins\\u001b[2J", "description": "A bag" }
              ]
            },
            {
              "productID": "game.Full Version", "type": "NonConsumable", "displayPrice": "4.99",
              "internalID": "2", "familyShareable": true, "localizations": [], "more": 1
            }
          ],
          "nonRenewingSubscriptions": [
            { "productID": "game.pass", "displayPrice": "2", "localizations": [] }
          ],
          "settings": { "_storefront": "DEU", "_timeRate": 13 },
          "subscriptionGroups": [
            {
              "id": "AAAA0001", "name": "Gold Club", "localizations": [],
              "subscriptions": [
                {
                  "productID": "game.gold", "type": "RecurringSubscription", "groupNumber": 1,
                  "displayPrice": "9.99", "recurringSubscriptionPeriod": "P1M",
                  "subscriptionGroupID": "AAAA0001", "localizations": [],
                  "adHocOffers": [
                    {
                      "offerID": "a", "paymentMode": "free", "subscriptionPeriod": "P1W"
                    },
                    {
                      "offerID": "b", "paymentMode": "payUpFront", "displayPrice": "1",
                      "subscriptionPeriod": "P1M"
                    }
                  ]
                }
              ]
            }
          ]
        }
        """

    private func write(_ text: String, to name: String = "Game.storekit") throws -> String {
        let path = folder.file(name)
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        return path
    }

    @Test("A check shows products by type, groups with levels, offers, settings and unknown keys")
    func table() async throws {
        let run = await RecordedRun("simulate", "--check", try write(Self.text), at: Self.now)
        #expect(run.exitCode == .success, "\(run.errors)")
        for line in [
            "Consumable: 1", "Non-Consumable: 1", "Non-Renewing Subscription: 1",
            "Subscription group Gold Club (AAAA0001): 1", "2 × promotional", "0.99 EUR",
            "time_rate: 13", "products[1].more is unknown here and kept as it is",
        ] {
            #expect(run.output.contains(line), "\(line) is missing in \(run.output)")
        }
        #expect(!run.output.contains("\u{1B}"))
    }

    @Test("A check for programs is one object")
    func json() async throws {
        let run = await RecordedRun(
            "simulate", "--check", try write(Self.text), "--json", at: Self.now)
        let object = try run.json
        #expect(object["version"] == "4.0")
        #expect(object["products"]?.array?.count == 3)
        let group = object["groups"]?.array?.first
        let gold = group?["subscriptions"]?.array?.first
        #expect(gold?["price"] == ["amount_milli": 9_990, "currency": "EUR"])
        #expect(gold?["offers"]?.array?.count == 2)
        #expect(object["settings"]?["storefront"] == "DEU")
        #expect(object["notes"]?.array?.count == 1)
    }

    @Test("A broken file is named with line and path of each fault, and ends with status 2")
    func faults() async throws {
        let broken = Self.text.replacingOccurrences(of: "\"9.99\"", with: "\"nine\"")
        let path = try write(broken)
        for words in [["simulate", "--check", path], ["catalog", "import", path]] {
            let run = await RecordedRun(words, at: Self.now)
            #expect(run.exitCode == .unreadable)
            #expect(
                run.errors.contains("subscriptionGroups[0].subscriptions[0].displayPrice"),
                "\(run.errors)")
        }
    }

    @Test("An imported catalogue gives what the options say and marks what it guessed")
    func goods() async throws {
        let run = await RecordedRun(
            "catalog", "import", try write(Self.text), "--goods", "game.coins100=gems:100+5",
            "--goods", "game.pass=pass/P7D", at: Self.now)
        #expect(run.exitCode == .success, "\(run.errors)")
        let catalog = try JSONDocument(parsing: run.output.utf8, dialect: .json5).value
        let goods = catalog["products"]?.array?.map { $0["goods"]?.array?.first }
        #expect(
            goods == [
                ["unit": "gems", "amount": 100, "bonus": 5],
                ["entitlement": "full_version"],
                ["entitlement": "pass", "duration": "P7D"],
                ["entitlement": "gold_club"],
            ])
        #expect(
            catalog["products"]?.array?.map { $0["type"]?.string } == [
                "consumable", "non_consumable", "non_renewing", "auto_renewable",
            ])
        #expect(catalog["units"]?.array?.map { $0["id"]?.string } == ["gems"])
        #expect(run.output.components(separatedBy: "// guessed").count - 1 == 2)
    }

    @Test("A guess takes the number at the end of the id")
    func guesses() async throws {
        let run = await RecordedRun(
            "catalog", "import", try write(Self.text), "--currency", "stars", at: Self.now)
        let catalog = try JSONDocument(parsing: run.output.utf8, dialect: .json5).value
        let coins = catalog["products"]?.array?.first
        #expect(coins?["goods"]?.array?.first == ["unit": "stars", "amount": 100])
        #expect(
            coins?["prices"]
                == ["DEU": ["amount_milli": 990, "currency": "EUR"]])
    }

    @Test("A catalogue is written to a file once")
    func output() async throws {
        let (input, output) = (try write(Self.text), folder.file("catalog.json"))
        for expected in [ExitCode.success, .failure] {
            let run = await RecordedRun(
                "catalog", "import", input, "--output", output, at: Self.now)
            #expect(run.exitCode == expected)
        }
    }

    static let wrongWords: [[String]] = [
        ["simulate"], ["catalog", "import"], ["catalog", "export", "x"],
        ["catalog", "import", "FILE", "--goods", "game.coins100"],
        ["catalog", "import", "FILE", "--goods", "game.other=coins:1"],
        ["catalog", "import", "FILE", "--goods", "game.coins100=coins:-1"],
        ["catalog", "import", "FILE", "--goods", "game.coins100=pass/soon"],
    ]

    @Test("Words that make no sense end with status 64", arguments: wrongWords)
    func usage(words: [String]) async throws {
        let path = try write(Self.text)
        let run = await RecordedRun(words.map { $0 == "FILE" ? path : $0 }, at: Self.now)
        #expect(run.exitCode == .usage, "\(run.errors)")
    }

    @Test(
        "Every published file makes a catalogue that the server reads",
        arguments: OutsideVectors.names(in: "storekit", ending: ".storekit"))
    func published(name: String) async throws {
        guard let vectors = OutsideVectors.folder else { return }
        let path = vectors.appendingPathComponent("storekit/\(name).storekit").path
        let run = await RecordedRun("catalog", "import", path, at: Self.now)
        #expect(run.exitCode == .success, "\(run.errors)")
        let check = await RecordedRun("simulate", "--check", path, "--json", at: Self.now)
        let read = try check.json
        let catalog = try JSONDocument(parsing: run.output.utf8, dialect: .json5).value
        let subscriptions = read["groups"]?.array?.flatMap { $0["subscriptions"]?.array ?? [] }
        #expect(
            catalog["products"]?.array?.count
                == (read["products"]?.array?.count ?? 0) + (subscriptions?.count ?? 0))
    }
}
