// SPDX-License-Identifier: Apache-2.0
import CounterfoilApple
import CounterfoilCore
import CounterfoilSimulator
import Testing

struct FamilySharing {
    private static func family(
        _ product: String, _ options: PurchaseOptions = TestShop.offer(.none)
    ) throws -> (SimulatedStore, String) {
        var store = try TestShop.store()
        for name in ["u2", "u3"] { try store.createAccount(name) }
        try store.createFamily(["u1", "u2", "u3"])
        let id = try store.bought(product, options)
        _ = store.told()
        return (store, id)
    }

    @Test("A member's copy is a transaction of its own, unpaid and without token")
    func copies() throws {
        var options = PurchaseOptions()
        options.appAccountToken = TestShop.token
        var (store, id) = try Self.family("unlock_all", options)
        let copies = try store.shareWithFamily(id)
        #expect(copies.count == 2)
        #expect(try store.shareWithFamily(id).isEmpty)
        let copy = try store.transaction(copies[0])
        let bought = try store.transaction(id)
        #expect(copy.ownershipType == "FAMILY_SHARED")
        #expect(copy.originalTransactionID == copy.transactionID)
        #expect(copy.appAccountToken == nil && copy.price == nil)
        #expect(copy.purchaseDate == bought.purchaseDate)
        #expect(copy.appTransactionID != bought.appTransactionID)
        #expect(store.told() == ["ONE_TIME_CHARGE", "ONE_TIME_CHARGE"])
        #expect(refusal { try store.refund(copies[0]) } == "transaction.family_shared")
        #expect(refusal { try store.setAppAccountToken(nil, of: copies[0]) } != nil)
    }

    @Test("Field case 38: a member loses access, the payer keeps it")
    func revocation() throws {
        var (store, id) = try Self.family("family_monthly")
        let copies = try store.shareWithFamily(id)
        _ = store.told()
        try store.revokeFamily(id, member: "u2")
        let notification = try #require(store.takeNotifications().first)
        #expect(notification.name == "REVOKE" && notification.account == "u2")
        let revocation = try #require(notification.transaction?.revocation)
        #expect(revocation.type == "FAMILY_REVOKE" && revocation.reason == 0)
        #expect(try store.standing(of: copies[0]).status == .revoked)
        #expect(try store.standing(of: copies[1]).status == .active)
        #expect(try store.standing(of: id).status == .active)
        try store.advance(days: 31)
        #expect(store.takeNotifications().compactMap(\.account) == ["u1", "u3"])
    }

    @Test("Members follow the buyer through failure, recovery and the end")
    func following() throws {
        var (store, id) = try Self.family("family_monthly")
        let copies = try store.shareWithFamily(id)
        try store.setBillingFailing(true, of: "u1")
        try store.advance(days: 31)
        #expect(try store.standing(of: copies[0]).status == .billingRetry)
        try store.resolveBilling(id)
        let member = try store.standing(of: copies[0])
        #expect(member.status == .active)
        #expect(member.transaction.transactionReason == "RENEWAL")
        #expect(member.originalTransactionID == copies[0])
        #expect(member.renewal.renewalPrice == nil)
        try store.extendRenewal(id, days: 10)
        #expect(
            try store.standing(of: copies[0]).transaction.expiresDate
                == store.standing(of: id).transaction.expiresDate)
        try store.expire(id)
        #expect(try store.standing(of: copies[0]).status == .expired)
        #expect(refusal { try store.setAutoRenew(true, of: copies[0]) } != nil)
    }

    @Test("A refund of what is shared copies its reason to the members")
    func refund() throws {
        var (store, id) = try Self.family("family_monthly")
        let copies = try store.shareWithFamily(id)
        _ = store.told()
        try store.refund(id, RefundTerms(reason: .appIssue))
        #expect(
            store.told() == [
                "REFUND", "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED", "REVOKE", "REVOKE",
            ])
        #expect(try store.transaction(copies[0]).revocation?.reason == 1)
        #expect(try store.transaction(copies[0]).revocation?.type == "FAMILY_REVOKE")
    }

    @Test("Who leaves the family loses what was shared")
    func leaving() throws {
        var (store, id) = try Self.family("unlock_all")
        try store.shareWithFamily(id)
        _ = store.told()
        try store.leaveFamily("u3")
        #expect(store.takeNotifications().compactMap(\.account) == ["u3"])
        try store.leaveFamily("u1")
        #expect(store.takeNotifications().compactMap(\.account) == ["u2"])
        #expect(refusal { try store.leaveFamily("u1") } == "family.not_member")
        try store.join("u3", familyOf: "u2")
        let renewed = try Self.leftWhileLapsed()
        #expect(renewed == ["u1"], "what begins again is not shared with those who left")
        #expect(try store.account("u3").family == ["u2", "u3"])
    }

    private static func leftWhileLapsed() throws -> [String] {
        var (store, id) = try family("family_monthly")
        try store.shareWithFamily(id)
        try store.expire(id)
        try store.leaveFamily("u2")
        try store.leaveFamily("u3")
        _ = store.told()
        _ = try store.bought("family_monthly")
        return store.takeNotifications().compactMap(\.account)
    }

    @Test("What cannot be shared is refused")
    func refusals() throws {
        var (store, id) = try Self.family("coins_100")
        #expect(refusal { try store.shareWithFamily(id) } == "family.not_shareable")
        #expect(refusal { try store.createFamily(["u1"]) } == "family.member")
        #expect(refusal { try store.revokeFamily(id) } == "family.not_member")
        for number in 4...8 { try store.createAccount("u\(number)") }
        for number in 4...6 { try store.join("u\(number)", familyOf: "u1") }
        #expect(refusal { try store.join("u7", familyOf: "u1") } == "family.full")
        try store.createAccount("single")
        let alone = try store.bought("unlock_all", by: "single")
        #expect(refusal { try store.shareWithFamily(alone) } == "family.not_member")
    }
}
