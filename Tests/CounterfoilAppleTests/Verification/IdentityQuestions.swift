// SPDX-License-Identifier: Apache-2.0

import CounterfoilApple
import CounterfoilCore
import CounterfoilSimulator
import CounterfoilTestSupport
import CounterfoilTrust
import Testing

@Suite("Whose evidence counts")
struct IdentityQuestions {
    private func failure(
        _ evidence: VerifiedEvidence, _ identity: EvidenceIdentity, at now: Instant = TestStore.now
    ) -> TrustFailure? {
        do throws(TrustFailure) {
            try identity.check(evidence, at: now)
            return nil
        } catch {
            return error
        }
    }

    private func notification(_ members: JSONValue) throws -> VerifiedEvidence {
        let payload: JSONValue = [
            "notificationType": "TEST", "data": members,
            "signedDate": .integer(TestStore.now.millisecondsSinceEpoch),
        ]
        return try TestStore.verify(TestAuthority.shared.sign(payload).utf8)
    }

    private var samples: [VerifiedEvidence] {
        get throws {
            [
                .transaction(try TestStore.transaction(TestStore.purchase())),
                .receipt(try TestStore.receipt(TestStore.receipt([]))),
                try notification(
                    ["bundleId": .string(TestStore.bundleID), "environment": "Sandbox"]),
            ]
        }
    }

    @Test("The bundle id is compared exactly")
    func bundles() throws {
        for evidence in try samples {
            #expect(failure(evidence, .init(bundleID: try BundleID(TestStore.bundleID))) == nil)
            for other in ["com.example.gam", "com.example.game.x", "com.example.Game"] {
                let failure = failure(evidence, .init(bundleID: try BundleID(other)))
                #expect(failure?.verdict == .otherBundle && failure?.expected == other)
                #expect(failure?.actual == TestStore.bundleID)
            }
        }
    }

    @Test("The environment is one of those that count, and a missing one is none")
    func environments() throws {
        for evidence in try samples {
            #expect(failure(evidence, .init(environments: [.sandbox, .production])) == nil)
            let failure = failure(evidence, .init(environments: [.production]))
            #expect(failure?.verdict == .otherEnvironment)
            #expect(failure?.expected == "Production" && failure?.actual == "Sandbox")
        }
        var receipt = TestStore.receipt([])
        receipt.receiptType = nil
        let unproven = VerifiedEvidence.receipt(try TestStore.receipt(receipt))
        #expect(failure(unproven, .init()) == nil)
        #expect(failure(unproven, .init(environments: [.sandbox]))?.actual == "none")
    }

    @Test("The identifier is asked before the environment, and both before the date")
    func order() throws {
        let all = EvidenceIdentity(
            bundleID: try BundleID("com.example.other"), environments: [.production])
        let early = TestStore.now - .seconds(86_400)
        for evidence in try samples {
            #expect(failure(evidence, all, at: early)?.verdict == .otherBundle)
            var rest = all
            rest.bundleID = nil
            #expect(failure(evidence, rest, at: early)?.verdict == .otherEnvironment)
            #expect(failure(evidence, .init(), at: early)?.verdict == .datedInFuture)
        }
    }

    @Test("A clock may be five minutes behind, not more")
    func tolerance() throws {
        for evidence in try samples {
            let edge = TestStore.now - EvidenceIdentity.clockTolerance
            // A receipt keeps whole seconds, so its edge lies up to a second earlier.
            #expect(failure(evidence, .init(), at: edge) == nil)
            #expect(failure(evidence, .init(), at: edge - .seconds(1))?.verdict == .datedInFuture)
        }
    }

    @Test("A renewal info names no bundle and is not asked for one")
    func renewalInfo() throws {
        let payload: JSONValue = [
            "autoRenewStatus": 1, "environment": "Sandbox",
            "signedDate": .integer(TestStore.now.millisecondsSinceEpoch),
        ]
        let evidence = try TestStore.verify(TestAuthority.shared.sign(payload).utf8)
        #expect(failure(evidence, .init(bundleID: try BundleID("com.example.other"))) == nil)
        #expect(failure(evidence, .init(environments: [.production]))?.verdict == .otherEnvironment)
    }

    @Test("The store's number of the app is asked in production only")
    func appNumber() throws {
        let production = try notification(["environment": "Production", "appAppleId": 7])
        #expect(failure(production, .init(appAppleID: 7)) == nil)
        #expect(failure(production, .init(appAppleID: 8))?.check == "identity.app-apple-id")
        let sandbox = try notification(["environment": "Sandbox"])
        #expect(failure(sandbox, .init(appAppleID: 8)) == nil)
        let wrongInBoth = EvidenceIdentity(appAppleID: 8, environments: [.production])
        #expect(failure(sandbox, wrongInBoth)?.verdict == .otherBundle)
    }

    @Test("What lies inside a notification is asked too")
    func inner() throws {
        var purchase = TestStore.purchase()
        purchase.bundleID = "com.example.other"
        let signed = try TestAuthority.shared.signedTransaction(purchase)
        let evidence = try notification([
            "bundleId": .string(TestStore.bundleID), "environment": "Sandbox",
            "signedTransactionInfo": .string(signed),
        ])
        #expect(
            failure(evidence, .init(bundleID: try BundleID(TestStore.bundleID)))?.verdict
                == .otherBundle)
    }
}
