// SPDX-License-Identifier: Apache-2.0

import CounterfoilApple
import CounterfoilCore
import CounterfoilCrypto
import CounterfoilSimulator
import CounterfoilTestSupport
import CounterfoilTrust
import Testing

@Suite("The verifier of evidence")
struct VerifierJudgements {
    private func failure(_ text: some Collection<UInt8>, at now: Instant = TestStore.now) throws
        -> TrustFailure
    {
        let verifier = try TestStore.verifier.get()
        return try #require(
            #expect(throws: TrustFailure.self) { try verifier.verify(text: text, at: now) })
    }

    private func sign(_ payload: JSONValue) throws -> [UInt8] {
        Array(try TestAuthority.shared.sign(payload).utf8)
    }

    @Test("A payload's fields tell its kind")
    func kinds() throws {
        let date = JSONValue.integer(TestStore.now.millisecondsSinceEpoch)
        let samples: [(JSONValue, String)] = [
            (["transactionId": "1", "signedDate": date], "transaction"),
            (["autoRenewStatus": 1, "signedDate": date], "renewalInfo"),
            (["environment": "Sandbox", "signedDate": date], "renewalInfo"),
            (["notificationType": "TEST", "signedDate": date], "notification"),
            (["receiptType": "Sandbox", "receiptCreationDate": date], "appTransaction"),
            (["userLocale": "en-US", "signedDate": date], "realtimeRequest"),
        ]
        for (payload, name) in samples {
            let evidence = try TestStore.verify(sign(payload))
            let kind = "\(evidence)".prefix { $0 != "(" }
            #expect(String(kind) == name)
        }
    }

    @Test(
        "A receipt in every form of container verifies", arguments: SimulatedReceipt.Form.allCases)
    func forms(form: SimulatedReceipt.Form) throws {
        let verified = try TestStore.receipt(TestStore.receipt([TestStore.purchase()]), form: form)
        #expect(verified.payload.purchases.count == 1)
        #expect(verified.path.steps.count == 3)
    }

    /// Field case 13.
    @Test("An old signature holds by its own date, whatever the clock shows")
    func oldSignature() throws {
        let verifier = try TestStore.verifier.get()
        let text = try TestAuthority.shared.signedTransaction(TestStore.purchase())
        for now in [TestStore.now, TestStore.now + .seconds(86_400 * 3650)] {
            _ = try verifier.verify(text: text.utf8, at: now)
        }
        var early = TestStore.purchase()
        early.signedDate = TestStore.now - .seconds(86_400 * 500)
        let failure = try failure(
            TestAuthority.shared.signedTransaction(early).utf8)
        #expect(failure.verdict == .certificateNotValidAtCreationDate)
        #expect(failure.check == "path.leaf-validity")
    }

    @Test("Without a signed date the present decides")
    func noSignedDate() throws {
        let text = try sign(["notificationType": "TEST"])
        _ = try TestStore.verify(text)
        let later = TestStore.now + .seconds(86_400 * 3650)
        #expect(try failure(text, at: later).verdict == .certificateNotValidAtCreationDate)
    }

    @Test("A receipt without creation date fails by a check of its own")
    func noCreationDate() throws {
        var receipt = TestStore.receipt([])
        receipt.creationDate = nil
        receipt.originalPurchaseDate = TestStore.now
        let failure = try failure(TestAuthority.shared.appReceipt(receipt))
        #expect(failure.verdict == .malformedPayload && failure.check == "receipt.creation-date")
    }

    @Test(
        "Environments of a developer's own machine are never trusted",
        arguments: [AppStoreEnvironment.xcode, .localTesting])
    func ownMachine(environment: AppStoreEnvironment) throws {
        var purchase = TestStore.purchase()
        purchase.environment = environment
        let token = try failure(TestAuthority.shared.signedTransaction(purchase).utf8)
        #expect(token.verdict == .untrustedRoot && token.check == "payload.environment")
        var receipt = TestStore.receipt([])
        receipt.receiptType = environment.rawValue
        let file = try failure(TestAuthority.shared.appReceipt(receipt))
        #expect(file.verdict == .untrustedRoot && file.check == "payload.environment")
    }

    @Test("A value of the wrong type under a true signature is a malformed payload, named")
    func wrongType() throws {
        let failure = try failure(sign(["transactionId": "1", "quantity": "many"]))
        #expect(failure.verdict == .malformedPayload)
        #expect(failure.expected == "an integer in quantity" && failure.actual == "\"many\"")
    }

    @Test("A transaction receipt is not judged by this version")
    func transactionReceipt() throws {
        let failure = try failure(
            "{ \"signature\" = \"AA==\"; \"purchase-info\" = \"ewp9\"; }".utf8)
        #expect(failure.verdict == .notYetJudged)
    }

    @Test("A notification proves each of its parts")
    func notification() throws {
        let authority = try TestAuthority.shared
        let date = JSONValue.integer(TestStore.now.millisecondsSinceEpoch)
        let transaction = try authority.signedTransaction(TestStore.purchase())
        let renewal = try authority.sign(["autoRenewStatus": 1, "signedDate": date])
        func notification(_ transaction: String) -> JSONValue {
            [
                "notificationType": "DID_RENEW", "signedDate": date,
                "data": [
                    "bundleId": .string(TestStore.bundleID), "environment": "Sandbox",
                    "signedTransactionInfo": .string(transaction),
                    "signedRenewalInfo": .string(renewal),
                ],
            ]
        }
        guard
            case .notification(let verified) = try TestStore.verify(sign(notification(transaction)))
        else { throw TestStore.WrongKind() }
        #expect(verified.transaction?.payload.productID?.rawValue == "coins_100")
        #expect(verified.renewalInfo?.payload.autoRenewStatus == .on)
        #expect(
            verified.transaction?.evidenceSHA256 == Digest.sha256(Array(transaction.utf8)),
            "the inner evidence is known by its own bytes")

        let forged = String(transaction.dropLast(4)) + "AAAA"
        let bad = try failure(sign(notification(forged)))
        #expect(bad.verdict == .badSignature)
        #expect(bad.check == "data.signedTransactionInfo: jws.signature")
        let swapped = try failure(sign(notification(renewal)))
        #expect(swapped.verdict == .malformedPayload)
        #expect(swapped.check == "data.signedTransactionInfo: payload.kind")
    }

    @Test("The same evidence under Apple's roots is a stranger's")
    func appleRoots() throws {
        let apple = EvidenceVerifier(trusting: .apple)
        let authority = try TestAuthority.shared
        let texts = [
            Array(try authority.signedTransaction(TestStore.purchase()).utf8),
            try authority.appReceipt(TestStore.receipt([])),
        ]
        for text in texts {
            let failure = #expect(throws: TrustFailure.self) {
                try apple.verify(text: text, at: TestStore.now)
            }
            #expect(failure?.verdict == .untrustedRoot)
        }
    }
}
