// SPDX-License-Identifier: Apache-2.0
import CounterfoilApple
import CounterfoilCore
import CounterfoilSimulator
import Testing

struct Refunding {
    @Test("A refund marks the transaction, and its reversal takes the mark away")
    func refundAndReversal() throws {
        var store = try TestShop.store()
        let id = try store.bought("coins_100")
        try store.refund(id, RefundTerms(reason: .appIssue))
        let refunded = try store.transaction(id).transactionPayload
        #expect(refunded["revocationType"]?.string == "REFUND_FULL")
        #expect(refunded["revocationPercentage"]?.int64 == 100_000)
        #expect(refunded["revocationReason"]?.int64 == 1)
        #expect(refunded["revocationDate"]?.int64 == store.now.millisecondsSinceEpoch)
        #expect(refusal { try store.refund(id) } == "transaction.already_refunded")
        try store.reverseRefund(id)
        let restored = try store.transaction(id).transactionPayload
        #expect(restored.object?.keys.contains { $0.hasPrefix("revocation") } == false)
        #expect(refusal { try store.reverseRefund(id) } == "transaction.not_refunded")
        #expect(store.told() == ["ONE_TIME_CHARGE", "REFUND", "REFUND_REVERSED"])
    }

    @Test(
        "Shares are thousandths of a percent",
        arguments: [
            (RefundTerms.Share.percentage(milli: 67_932), Int64(67_932), "REFUND_PRORATED"),
            (.quantity(1), 33_333, "REFUND_PRORATED"), (.quantity(3), 100_000, "REFUND_FULL"),
            (.full, 100_000, "REFUND_FULL"),
        ])
    func shares(share: RefundTerms.Share, milli: Int64, type: String) throws {
        var store = try TestShop.store()
        var options = PurchaseOptions()
        options.quantity = 3
        let id = try store.bought("coins_100", options)
        try store.refund(id, RefundTerms(share: share))
        let revocation = try #require(try store.transaction(id).revocation)
        #expect(revocation.percentageMilli == milli)
        #expect(revocation.type == type)
    }

    @Test("A share that cannot be is refused")
    func impossibleShares() throws {
        var store = try TestShop.store()
        let id = try store.bought("coins_100")
        for share in [
            RefundTerms.Share.percentage(milli: 0), .percentage(milli: 100_001), .quantity(2),
            .timeLeft,
        ] {
            #expect(refusal { try store.refund(id, RefundTerms(share: share)) } == "refund.share")
        }
    }

    @Test("Each request for consumption data is a notification of its own")
    func requests() throws {
        var store = try TestShop.store()
        let id = try store.bought("coins_100")
        for _ in 0..<3 {
            try store.requestRefund(id, reason: .fulfillmentIssue)
            try store.advance(days: 1)
        }
        let told = store.takeNotifications().filter { $0.type == .consumptionRequest }
        #expect(Set(told.map(\.id)).count == 3)
        for notification in told {
            guard case .data(let data) = notification.content else { continue }
            #expect(data.consumptionRequestReason == .fulfillmentIssue)
        }
        let open = try #require(store.openRefunds.first)
        #expect(open.requests == told.map(\.id))
        #expect(open.deadline == TestShop.start + .seconds(2 * 86_400 + 12 * 3600))
        try store.answerConsumption(id, ["customerConsented": true])
        #expect(store.openRefunds.first?.answers.count == 1)
        try store.declineRefund(id)
        #expect(store.told() == ["REFUND_DECLINED"])
        #expect(refusal { try store.declineRefund(id) } == "refund.not_requested")
        #expect(store.openRefunds.isEmpty)
    }

    @Test("A refund of the running period ends the subscription and turns renewal off")
    func runningPeriod() throws {
        var store = try TestShop.store()
        let id = try store.bought("gold_monthly")
        try store.advance(days: 15)
        _ = store.told()
        try store.refund(id, RefundTerms(share: .timeLeft))
        #expect(store.told() == ["REFUND", "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED"])
        let standing = try store.standing(of: id)
        #expect(standing.status == .revoked)
        // 16 of January's 31 days.
        #expect(standing.transaction.revocation?.percentageMilli == 51_612)
        try store.advance(days: 100)
        #expect(store.told().isEmpty)
        try store.reverseRefund(id)
        #expect(try store.standing(of: id).status == .expired)
    }

    @Test("A refund of an older period leaves the running one alone")
    func olderPeriod() throws {
        var store = try TestShop.store()
        let id = try store.bought("gold_monthly")
        try store.advance(days: 40)
        _ = store.told()
        try store.refund(id)
        #expect(store.told() == ["REFUND"])
        #expect(try store.standing(of: id).status == .active)
        try store.advance(days: 30)
        #expect(store.told() == ["DID_RENEW"])
    }

    @Test("A refund of a period that has not begun leaves the running one")
    func redeemedPeriod() throws {
        var store = try TestShop.store()
        let id = try store.bought("gold_monthly")
        try store.advance(days: 10)
        let behind = try store.bought("gold_monthly", TestShop.offer(.promotional(id: "half")))
        try store.refund(behind)
        let standing = try store.standing(of: id)
        #expect(standing.status == .active && standing.transaction.transactionID == id)
        _ = store.told()
        try store.advance(days: 21)
        #expect(store.told() == ["EXPIRED/VOLUNTARY"])
    }

    @Test("A reversal in time gives the running period back without renewal")
    func reversalInTime() throws {
        var store = try TestShop.store()
        let id = try store.bought("gold_monthly")
        try store.advance(days: 5)
        try store.refund(id)
        try store.advance(days: 5)
        _ = store.told()
        try store.reverseRefund(id)
        #expect(try store.standing(of: id).status == .active)
        try store.advance(days: 30)
        #expect(store.told() == ["REFUND_REVERSED", "EXPIRED/VOLUNTARY"])
    }
}
