// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilDatabase
import CounterfoilSimulator
import CounterfoilTestSupport
import Testing

@testable import CounterfoilEngine

@Suite("P5: no proof, no goods", .onEveryDatabase)
struct NoProofNoGoods {
    /// The reason that a hostile case must be withheld with.
    private static func reason(for item: HostileCase) -> Reason? {
        switch (item.name, item.verdict) {
        // Genuine, but a sale's key needs the missing field: Apple can be asked.
        case ("no-signed-date", _): .incompleteEvidence
        // The dictionary of iOS 6, whose environment nobody signs.
        case ("not-pkcs7", _): .environmentUnproven
        case (_, "certificate-not-valid-at-creation-date"): .certificateNotValid
        case (_, "other-environment"): .environmentNotAllowed
        case (_, "trailing-bytes"), (_, "malformed-payload"): .malformed
        default: Reason(rawValue: item.verdict.replacing("-", with: "_"))
        }
    }

    @Test("Hostile evidence is refused with its own reason, kept, and grants nothing: case 62")
    func hostile() async throws {
        let sandboxOnly = try await Shop(environments: [.sandbox])
        let tokens = try HostileEvidence.tokens.map { item in
            (
                item,
                Submission.Proof.signedTransaction(String(decoding: item.evidence, as: UTF8.self))
            )
        }
        let receipts = try HostileEvidence.receipts.map { item in
            (item, Submission.Proof.receipt(Base64.encode(item.evidence, .standard)))
        }
        var refused = 0
        for (item, proof) in tokens + receipts where item.verdict != "trusted" {
            let outcome = try await sandboxOnly.submit(proof, claiming: nil)
            refused += 1
            #expect(outcome.decision.client == .keep, "\(item)")
            #expect(outcome.decision.reason == Self.reason(for: item), "\(item)")
            let fits = ["other-bundle", "other-environment", "dated-in-future"]
            #expect(outcome.isSuspectConfiguration == fits.contains(item.verdict), "\(item)")
        }
        #expect(refused >= 35)
        #expect(
            try await sandboxOnly.count("SELECT COUNT(*) FROM submissions") == Int64(refused))
        for table: SQL in [
            "SELECT COUNT(*) FROM transactions", "SELECT COUNT(*) FROM sales",
            "SELECT COUNT(*) FROM grants", "SELECT COUNT(*) FROM events",
        ] {
            #expect(try await sandboxOnly.count(table) == 0, "\(table.text)")
        }
        try await sandboxOnly.expectBalancedBooks()
    }

    @Test("Evidence of other kinds proves no purchase")
    func otherKinds() async throws {
        let shop = try await Shop()
        let renewal = try TestAuthority.shared.sign([
            "originalTransactionId": "1", "autoRenewStatus": 1, "environment": "Production",
            "signedDate": .integer(shop.clock.now.millisecondsSinceEpoch),
        ])
        #expect(
            try await shop.submit(.signedTransaction(renewal)).words
                == "rejected wrong_evidence_kind keep")
        let receipt = try TestAuthority.shared.signedTransaction(shop.purchase("coins100"))
        #expect(
            try await shop.submit(.receipt(receipt)).words == "rejected wrong_evidence_kind keep")
    }

    @Test("Sandbox purchases stay in their own books: field case 19")
    func sandboxIsApart() async throws {
        let shop = try await Shop()
        var purchase = shop.purchase("noads", "T1", .nonConsumable)
        purchase.environment = .sandbox
        let outcome = try await shop.submit(purchase)
        #expect(outcome.words == "fulfilled finish")
        #expect(outcome.environment == .sandbox)
        #expect(try await shop.rights().isEmpty)
        #expect(try await shop.view(in: .sandbox)?.entitlements.count == 1)
    }

    @Test(
        "The sandbox policy decides who may hand in sandbox purchases",
        arguments: [
            (SandboxPolicy.reject, "u1", false), (.allowListed([]), "u1", false),
            (.allowListed([try! CustomerID("u1")]), "u1", true),
            (.allowListed([try! CustomerID("u1")]), "u2", false),
        ])
    func sandboxPolicy(policy: SandboxPolicy, customer: String, isAdmitted: Bool) async throws {
        let shop = try await Shop(sandbox: policy)
        var purchase = shop.purchase("coins100")
        purchase.environment = .sandbox
        let outcome = try await shop.submit(purchase, by: customer)
        #expect(
            outcome.words
                == (isAdmitted ? "fulfilled finish" : "rejected environment_not_allowed keep"))
        // The operator decided it; there is nothing to look for.
        #expect(!outcome.isSuspectConfiguration)
    }

    @Test("An environment that the configuration does not serve is suspect")
    func environmentNotServed() async throws {
        let shop = try await Shop(environments: [.production])
        var purchase = shop.purchase("coins100")
        purchase.environment = .sandbox
        let outcome = try await shop.submit(purchase)
        #expect(outcome.words == "rejected environment_not_allowed keep")
        #expect(outcome.isSuspectConfiguration)
    }

    @Test("Refused evidence has a quota; beyond it digest and beginning are kept")
    func quota() async throws {
        let shop = try await Shop()
        let size = 1 << 20
        let count = Int(Limits.refusedEvidencePerAddressAndDay) / size + 2
        for index in 0..<count {
            let junk = String(repeating: "!", count: size) + String(index)
            #expect(
                try await shop.submit(.signedTransaction(junk)).words == "rejected malformed keep")
        }
        #expect(try await shop.count("SELECT COUNT(*) FROM evidence WHERE encoding = 1") == 3)
        #expect(
            try await shop.count("SELECT MAX(length(bytes)) FROM evidence WHERE encoding = 1")
                == Int64(Limits.refusedEvidencePrefix))
        let genuine = try await shop.submit(shop.purchase("coins100"))
        #expect(genuine.words == "fulfilled finish")
        #expect(try await shop.count("SELECT encoding FROM evidence WHERE is_verified = 1") != 1)
    }
}
