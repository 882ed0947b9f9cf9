// SPDX-License-Identifier: Apache-2.0
import CounterfoilApple
import CounterfoilCore
import CounterfoilSimulator
import Testing

/// A file of the newest format with one of everything.
private let wholeFile = """
    {
      "identifier" : "0A1B2C3D",
      "nonRenewingSubscriptions" : [
        {
          "displayPrice" : "3",
          "familyShareable" : false,
          "internalID" : "4",
          "localizations" : [],
          "productID" : "game.pass30",
          "referenceName" : null,
          "type" : "NonRenewingSubscription"
        }
      ],
      "products" : [
        {
          "displayPrice" : "0.99",
          "familyShareable" : false,
          "internalID" : "1",
          "localizations" : [
            { "description" : "A handful.", "displayName" : "100 coins", "locale" : "en_US" }
          ],
          "newKey" : { "of" : "a later Xcode" },
          "productID" : "game.coins100",
          "referenceName" : "Coins",
          "type" : "Consumable"
        },
        {
          "displayPrice" : "",
          "familyShareable" : true,
          "internalID" : "2",
          "localizations" : [],
          "productID" : "game.unlock",
          "referenceName" : "Unlock",
          "type" : "NonConsumable"
        }
      ],
      "settings" : {
        "_askToBuyEnabled" : true,
        "_billingGracePeriodEnabled" : true,
        "_interruptedPurchasesEnabled" : true,
        "_locale" : "ja_JP",
        "_storeKitErrors" : [
          { "current" : { "index" : 2, "type" : "purchase" }, "enabled" : true, "name" : "Purchase" },
          { "current" : null, "enabled" : false, "name" : "Verification" }
        ],
        "_storefront" : "JPN",
        "_timeRate" : 13
      },
      "subscriptionGroups" : [
        {
          "id" : "AAAA0001",
          "localizations" : [],
          "name" : "Gold",
          "subscriptions" : [
            {
              "adHocOffers" : [
                {
                  "displayPrice" : "1.00", "internalID" : "9", "numberOfPeriods" : 2,
                  "offerID" : "half", "paymentMode" : "payAsYouGo", "referenceName" : "Half",
                  "subscriptionPeriod" : "P1M"
                }
              ],
              "billingPlans" : [
                {
                  "billingPlanType" : "MONTHLY", "commitmentDisplayPrice" : "60.00",
                  "displayPrice" : "5.00", "internalID" : "10", "isEnabled" : true
                }
              ],
              "codeOffers" : [
                {
                  "eligibility" : ["new", "expired"], "internalID" : "11", "isStackable" : true,
                  "paymentMode" : "free", "referenceName" : "Summer", "subscriptionPeriod" : "P2W"
                }
              ],
              "displayPrice" : "49.99",
              "familyShareable" : true,
              "groupNumber" : 1,
              "internalID" : "12",
              "introductoryOffer" : {
                "internalID" : "13", "paymentMode" : "free", "subscriptionPeriod" : "P3D"
              },
              "introductoryOffers" : [
                { "internalID" : "14", "paymentMode" : "free", "subscriptionPeriod" : "P1W" }
              ],
              "localizations" : [],
              "productID" : "game.gold.yearly",
              "recurringSubscriptionPeriod" : "P1Y",
              "referenceName" : "Gold yearly",
              "subscriptionGroupID" : "AAAA0001",
              "type" : "RecurringSubscription",
              "winbackOffers" : [
                {
                  "displayPrice" : "9.99", "internalID" : "15", "isEligible" : true,
                  "numberOfPeriods" : 1, "offerID" : "back", "paymentMode" : "payUpFront",
                  "referenceName" : "Back", "subscriptionPeriod" : "P6M"
                }
              ]
            }
          ]
        }
      ],
      "subscriptionOffersKeyPair" : { "id" : "F0F0F0F0", "privateKey" : "c2VjcmV0" },
      "version" : { "major" : 5, "minor" : 0 }
    }
    """

struct StoreKitFileOfXcode {
    private let file: StoreKitFile

    init() throws {
        file = try StoreKitFile(parsing: wholeFile.utf8)
    }

    @Test("Products come with type, price, texts and sharing")
    func products() throws {
        #expect(
            file.catalog.products.map(\.id) == [
                "game.coins100", "game.unlock", "game.pass30", "game.gold.yearly",
            ])
        let coins = try #require(file.catalog.product("game.coins100"))
        #expect(coins.kind == .consumable)
        #expect(coins.priceMilli == 990)
        #expect(coins.internalID == "1")
        #expect(
            coins.localizations == [
                .init(locale: "en_US", displayName: "100 coins", text: "A handful.")
            ])
        let unlock = try #require(file.catalog.product("game.unlock"))
        #expect(unlock.kind == .nonConsumable)
        #expect(unlock.isFamilyShareable)
        #expect(unlock.priceMilli == 0)
        #expect(file.catalog.product("game.pass30")?.kind == .nonRenewingSubscription)
        #expect(file.catalog.product("game.pass30")?.priceMilli == 3_000)
    }

    @Test("Subscriptions come with group, level, period, plans and every kind of offer")
    func subscriptions() throws {
        #expect(file.catalog.groups.map(\.name) == ["Gold"])
        let terms = try #require(file.catalog.product("game.gold.yearly")?.subscription)
        #expect(terms.groupID == "AAAA0001")
        #expect(terms.level == 1)
        #expect(terms.period == .year)
        #expect(terms.billingPlans.map(\.type) == [.monthly])
        #expect(terms.billingPlans.map(\.commitmentPriceMilli) == [60_000])
        let promotional = try #require(terms.promotionalOffers.first)
        #expect(promotional.kind == .promotional)
        #expect(promotional.id == "half")
        #expect(promotional.periodCount == 2)
        #expect(promotional.priceMilli == 1_000)
        let code = try #require(terms.codeOffers.first)
        #expect(code.id == "Summer")
        #expect(code.eligibility == [.new, .expired])
        #expect(code.isStackable)
        #expect(code.periodCount == 1)
        let winBack = try #require(terms.winBackOffers.first)
        #expect(winBack.mode == .payUpFront)
        #expect(winBack.id == "back")
    }

    @Test("The plural of introductory offers stands before the singular")
    func introductoryOffers() throws {
        let terms = try #require(file.catalog.product("game.gold.yearly")?.subscription)
        #expect(terms.introductoryOffers.map(\.period) == [.week])
    }

    @Test("Settings become the simulated store's, with the currency of the storefront")
    func settings() {
        let settings = file.settings.storeSettings(bundleID: "com.example.game")
        #expect(settings.bundleID == "com.example.game")
        #expect(settings.storefront.currency == "JPY")
        #expect(settings.locale == "ja_JP")
        #expect(settings.timeRate == .monthlyRenewalEveryFiveMinutes)
        #expect(settings.isAskToBuyOn)
        #expect(!settings.isBillingFailing)
        #expect(settings.graceDays == 16)
        #expect(settings.failures == ["purchase": "purchase 2"])
    }

    @Test("Unknown keys are named, and kept where they stood")
    func unknownKeys() {
        #expect(
            file.notes.map(\.path) == [
                "products[0].newKey", "products[1].displayPrice",
                "settings._interruptedPurchasesEnabled", "subscriptionOffersKeyPair",
            ])
        #expect(
            file.document["products"]?.array?.first?["newKey"] == ["of": "a later Xcode"])
    }

    @Test("A private key is kept only where it was asked for")
    func offerKey() throws {
        #expect(file.document["subscriptionOffersKeyPair"] == nil)
        let whole = try StoreKitFile(parsing: wholeFile.utf8, keepsOfferKey: true)
        #expect(whole.document["subscriptionOffersKeyPair"]?["id"] == "F0F0F0F0")
        #expect(whole.document == (try JSONValue(parsing: wholeFile.utf8)))
    }
}

struct StoreKitFileOfAnyVersion {
    private func file(_ version: String, _ rest: String = "") -> String {
        #"{"version":\#(version),"products":[],"subscriptionGroups":[]\#(rest)}"#
    }

    @Test("Every version from 1 on is read, later ones with a note", arguments: 1...7)
    func versions(major: Int) throws {
        let file = try StoreKitFile(parsing: file("{\"major\":\(major),\"minor\":1}").utf8)
        #expect(file.version.description == "\(major).1")
        #expect(file.notes.map(\.path) == (major > 5 ? ["version.major"] : []))
        #expect(file.settings.storefront == .unitedStates)
        #expect(file.settings.timeRate == .realTime)
    }

    @Test("A time rate of a later Xcode falls back on what it offers to older readers")
    func timeRates() throws {
        let settings = #","settings":{"_timeRate":2000,"_compatibilityTimeRate":{"3":6}}"#
        let read = try StoreKitFile(parsing: file(#"{"major":5}"#, settings).utf8)
        #expect(read.settings.timeRate.rawValue == 6)
        #expect(read.notes.map(\.path) == ["settings._timeRate"])
    }

    @Test("A storefront without a known currency is taken, with a note")
    func storefronts() throws {
        let read = try StoreKitFile(
            parsing: file(#"{"major":4}"#, #","settings":{"_storefront":"ZZZ"}"#).utf8)
        #expect(read.settings.storefront.country == "ZZZ")
        #expect(read.notes.map(\.path) == ["settings._storefront"])
    }
}

struct BrokenStoreKitFile {
    static let prices: [(String, Int64?)] = [
        ("4.99", 4_990), ("10", 10_000), ("0.0", 0), ("0.125", 125), ("1.5000", 1_500),
        ("4,99", nil), ("-1", nil), ("1e3", nil), (".5", nil), ("5.", nil), ("1.2345", nil),
        ("$3", nil), ("99999999999", nil), (" 1", nil),
    ]

    @Test("Prices are decimal numbers with at most three places that count", arguments: prices)
    func price(text: String, milli: Int64?) throws {
        let text = """
            {"version":{"major":1,"minor":0},"subscriptionGroups":[],"products":[
            {"productID":"a","type":"Consumable","displayPrice":"\(text)"}]}
            """
        if let milli {
            let file = try StoreKitFile(parsing: text.utf8)
            #expect(file.catalog.product("a")?.priceMilli == milli)
        } else {
            #expect(faults(of: text).map(\.finding.path) == ["products[0].displayPrice"])
            #expect(faults(of: text).map(\.line) == [2])
        }
    }

    static let group = """
        "productID":"s","displayPrice":"1","recurringSubscriptionPeriod":"P1M","groupNumber":1
        """

    static let documents: [(String, [String])] = [
        ("[]", [""]),
        ("{", [""]),
        ("{}", ["version"]),
        (#"{"version":{"major":0}}"#, ["version.major"]),
        (#"{"version":{"major":"4"}}"#, ["version.major"]),
        (#"{"version":{"major":4},"products":{}}"#, ["products"]),
        (
            #"{"version":{"major":4},"products":[1]}"#,
            [
                "products[0]", "products[0].type", "products[0].productID",
                "products[0].displayPrice",
            ]
        ),
        (
            #"{"version":{"major":4},"products":[{"productID":"a","displayPrice":"1"}]}"#,
            ["products[0].type"]
        ),
        (
            """
            {"version":{"major":4},"products":[
            {"productID":"a","type":"RecurringSubscription","displayPrice":"1"}]}
            """,
            ["products[0].type"]
        ),
        (
            """
            {"version":{"major":4},"products":[
            {"productID":"a","type":"Consumable","displayPrice":"1"},
            {"productID":"a","type":"Consumable","displayPrice":"1"}]}
            """,
            ["products[1].productID"]
        ),
        (
            """
            {"version":{"major":4},"subscriptionGroups":[{"id":"G","subscriptions":[
            {\(group),"subscriptionGroupID":"H"}]}]}
            """,
            ["subscriptionGroups[0].subscriptions[0].subscriptionGroupID"]
        ),
        (
            """
            {"version":{"major":4},"subscriptionGroups":[{"id":"G","subscriptions":[
            {"productID":"s","displayPrice":"1","recurringSubscriptionPeriod":"monthly"}]}]}
            """,
            ["subscriptionGroups[0].subscriptions[0].recurringSubscriptionPeriod"]
        ),
        (
            """
            {"version":{"major":4},"subscriptionGroups":[{"id":"G","subscriptions":[
            {\(group),"introductoryOffer":{"paymentMode":"payAsYouGo","subscriptionPeriod":"P1M"}}]}]}
            """,
            ["subscriptionGroups[0].subscriptions[0].introductoryOffer.displayPrice"]
        ),
        (
            """
            {"version":{"major":4},"subscriptionGroups":[{"id":"G","subscriptions":[
            {\(group),"adHocOffers":[{"paymentMode":"gift","subscriptionPeriod":"P1X"}]}]}]}
            """,
            [
                "subscriptionGroups[0].subscriptions[0].adHocOffers[0].paymentMode",
                "subscriptionGroups[0].subscriptions[0].adHocOffers[0].subscriptionPeriod",
                "subscriptionGroups[0].subscriptions[0].adHocOffers[0].offerID",
            ]
        ),
        (
            #"{"version":{"major":4},"subscriptionGroups":[{"id":"G"},{"id":"G"}]}"#,
            ["subscriptionGroups[1].id"]
        ),
        (#"{"version":{"major":4},"settings":{"_storefront":"usa"}}"#, ["settings._storefront"]),
        (#"{"version":{"major":4},"settings":{"_timeRate":"13"}}"#, ["settings._timeRate"]),
        (
            #"{"version":{"major":4},"settings":{"_askToBuyEnabled":1}}"#,
            ["settings._askToBuyEnabled"]
        ),
    ]

    @Test("Every fault is named by the path to its key", arguments: documents)
    func path(text: String, paths: [String]) {
        #expect(faults(of: text).map(\.finding.path) == paths)
    }

    @Test("No cut of a file makes the reader fail in another way than by an error")
    func cuts() {
        let bytes = Array(wholeFile.utf8)
        for count in 0..<bytes.count {
            #expect(throws: StoreKitFileError.self) {
                _ = try StoreKitFile(parsing: bytes[..<count])
            }
        }
    }

    private func faults(of text: String) -> [StoreKitFileError.Fault] {
        do throws(StoreKitFileError) {
            _ = try StoreKitFile(parsing: text.utf8)
            return []
        } catch {
            return error.faults
        }
    }
}
