// SPDX-License-Identifier: Apache-2.0
import CounterfoilSimulator
import CounterfoilTestSupport
import Foundation
import Testing

struct WhatVerbsAnnounce {
    @Test("A verb announces what its row says", arguments: Story.all)
    func story(_ story: Story) throws {
        var store = try TestShop.store()
        try story.before(&store)
        _ = store.told()
        try story.play(&store)
        #expect(store.told() == story.told)
    }

    @Test("The document's table has a row for each story and no other")
    func document() throws {
        let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../../docs/simulated-store.md").standardizedFileURL
        let text = try String(contentsOf: path, encoding: .utf8)
        let section = text.components(separatedBy: "\n## ")
            .first { $0.hasPrefix("What the verbs announce") }
        let rows = (section ?? "").split(separator: "\n")
            .filter { $0.hasPrefix("| `") }.map(String.init)
        #expect(rows == Story.all.map(\.row))
    }

    /// Types and subtypes of the reference, the doubtful ones too.
    private static let known: Set<String> = [
        "SUBSCRIBED/INITIAL_BUY", "SUBSCRIBED/RESUBSCRIBE", "DID_RENEW",
        "DID_RENEW/BILLING_RECOVERY", "DID_FAIL_TO_RENEW", "DID_FAIL_TO_RENEW/GRACE_PERIOD",
        "GRACE_PERIOD_EXPIRED", "EXPIRED/VOLUNTARY", "EXPIRED/BILLING_RETRY",
        "EXPIRED/PRICE_INCREASE", "EXPIRED/PRODUCT_NOT_FOR_SALE", "EXPIRED",
        "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_ENABLED",
        "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED", "DID_CHANGE_RENEWAL_PREF/UPGRADE",
        "DID_CHANGE_RENEWAL_PREF/DOWNGRADE", "DID_CHANGE_RENEWAL_PREF", "OFFER_REDEEMED",
        "OFFER_REDEEMED/UPGRADE", "OFFER_REDEEMED/DOWNGRADE", "OFFER_REDEEMED/INITIAL_BUY",
        "OFFER_REDEEMED/RESUBSCRIBE", "PRICE_INCREASE/PENDING", "PRICE_INCREASE/ACCEPTED",
        "REFUND", "REFUND_DECLINED", "REFUND_REVERSED", "REVOKE", "CONSUMPTION_REQUEST",
        "RENEWAL_EXTENDED", "RENEWAL_EXTENSION/SUMMARY", "RENEWAL_EXTENSION/FAILURE",
        "ONE_TIME_CHARGE", "EXTERNAL_PURCHASE_TOKEN/UNREPORTED",
        "EXTERNAL_PURCHASE_TOKEN/CREATED", "EXTERNAL_PURCHASE_TOKEN/ACTIVE_TOKEN_REMINDER",
        "RESCIND_CONSENT", "METADATA_UPDATE", "MIGRATION", "MIGRATE", "PRICE_CHANGE", "TEST",
    ]

    @Test("Every type and subtype that Apple is known to send is announced by some verb")
    func completeness() {
        #expect(Set(Story.all.flatMap(\.told)) == Self.known)
    }
}
