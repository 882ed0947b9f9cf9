// SPDX-License-Identifier: Apache-2.0
import CounterfoilApple
import CounterfoilCore
import CounterfoilSimulator
import CounterfoilTestSupport
import Testing

/// Apple's published payloads pass through the simulator's types and lose nothing.
struct PublishedModels {
    private static let folder = "apple/models"

    @Test("The published models are there, or their absence is told")
    func presence() throws {
        try OutsideVectors.require(10, of: "PublishedModels")
    }

    /// The published object, or nil where the models are absent.
    private func model(_ name: String) throws -> JSONObject? {
        guard OutsideVectors.folder != nil else { return nil }
        return try JSONValue(parsing: OutsideVectors.bytes("\(Self.folder)/\(name).json")).object
    }

    /// Objects are equal whatever the order of their members.
    private func expectSame(_ one: JSONValue, _ other: JSONValue, _ path: String = "") {
        if let left = one.object, let right = other.object {
            #expect(Set(left.keys) == Set(right.keys), "\(path)")
            for member in left.members {
                expectSame(member.value, right[member.key] ?? .null, "\(path).\(member.key)")
            }
        } else {
            #expect(one == other, "\(path)")
        }
    }

    @Test("Transactions")
    func transaction() throws {
        guard let fields = try model("signedTransaction") else { return }
        let purchase = try #require(SimulatedPurchase(try JWSTransaction(fields: fields)))
        expectSame(purchase.transactionPayload, .object(fields))
    }

    @Test("Renewal state")
    func renewal() throws {
        guard let fields = try model("signedRenewalInfo") else { return }
        let renewal = try #require(SimulatedRenewal(try JWSRenewalInfo(fields: fields)))
        expectSame(renewal.payload, .object(fields))
    }

    @Test("App transaction")
    func appTransaction() throws {
        guard let fields = try model("appTransaction") else { return }
        let copy = try #require(SimulatedAppTransaction(try JWSAppTransaction(fields: fields)))
        expectSame(copy.payload, .object(fields))
    }

    @Test(
        "Notifications of all four forms",
        arguments: [
            "signedNotification", "signedConsumptionRequestNotification",
            "signedSummaryNotification", "signedExternalPurchaseTokenNotification",
        ])
    func notification(name: String) throws {
        guard let fields = try model(name), let inner = try model("signedTransaction"),
            let state = try model("signedRenewalInfo")
        else { return }
        let signed = try JWSNotification(fields: fields)
        let transaction = try #require(SimulatedPurchase(try JWSTransaction(fields: inner)))
        let renewal = try #require(SimulatedRenewal(try JWSRenewalInfo(fields: state)))
        let notification = try #require(
            SimulatedNotification(signed, transaction: transaction, renewal: renewal))
        let payload = notification.payload { payload in
            payload == renewal.payload
                ? "signed_renewal_info_value" : "signed_transaction_info_value"
        }
        expectSame(payload, .object(fields))
    }

    @Test("A withdrawn consent carries the app transaction")
    func appData() throws {
        guard let data = try model("appData"), let inner = try model("appTransaction") else {
            return
        }
        var fields = JSONObject()
        fields.append("notificationType", "RESCIND_CONSENT")
        fields.append("notificationUUID", "002e14d5-51f5-4503-b5a8-c3a1af68eb20")
        fields.append("version", "2.0")
        fields.append("signedDate", 1_698_148_900_000)
        fields.append("appData", .object(data))
        let copy = try #require(SimulatedAppTransaction(try JWSAppTransaction(fields: inner)))
        let notification = try #require(
            SimulatedNotification(try JWSNotification(fields: fields), appTransaction: copy))
        expectSame(
            notification.payload { _ in "signed-app-transaction-info" }, .object(fields))
    }

    @Test("A member that Apple adds later is kept")
    func unknownMember() throws {
        var store = try TestShop.store()
        let bought = try #require(try store.buy("coins_100", by: "u1").transaction)
        var fields = try #require(bought.transactionPayload.object)
        fields.append("somethingNew", ["a": 1])
        let again = try #require(SimulatedPurchase(try JWSTransaction(fields: fields)))
        #expect(again.transactionPayload == .object(fields))
    }

    @Test("What the store announces reads as Apple's own")
    func ownPayloads() throws {
        for story in Story.all {
            var store = try TestShop.store(environment: .production)
            try story.before(&store)
            try story.play(&store)
            for notification in store.takeNotifications() {
                var inner: [JSONObject] = []
                let payload = notification.payload { payload in
                    inner += payload.object.map { [$0] } ?? []
                    return "\(inner.count)"
                }
                let fields = try #require(payload.object)
                let signed = try JWSNotification(fields: fields)
                #expect(signed.bundleID?.rawValue == "com.example.game")
                guard signed.appData == nil else { continue }
                let transaction = try inner.first.map { try JWSTransaction(fields: $0) }
                let renewal = try inner.dropFirst().first.map { try JWSRenewalInfo(fields: $0) }
                var again = try #require(
                    SimulatedNotification(
                        signed, transaction: transaction.flatMap { SimulatedPurchase($0) },
                        renewal: renewal.flatMap { SimulatedRenewal($0) }))
                again.account = notification.account
                #expect(again.payload { "\($0)" } == notification.payload { "\($0)" })
            }
        }
    }
}
