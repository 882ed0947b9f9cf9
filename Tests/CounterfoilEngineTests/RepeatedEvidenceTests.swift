// SPDX-License-Identifier: Apache-2.0
import CounterfoilDatabase
import CounterfoilSimulator
import CounterfoilTestSupport
import Testing

@testable import CounterfoilEngine

@Suite("Evidence that is handed in again", .onEveryDatabase)
struct EvidenceIsHandedInAgain {
    @Test("It is remembered as stored, and stored once more where the database has lost it")
    func lost() async throws {
        let shop = try await Shop()
        let token = try TestAuthority.shared.signedTransaction(shop.purchase("coins100"))
        func submit() async throws -> String {
            try await shop.submit(.signedTransaction(token)).words
        }
        #expect(try await submit() == "fulfilled finish")
        let digests = try await shop.engine.database.read { transaction in
            try transaction.rows("SELECT sha256 FROM evidence").map { try $0.bytes(0) }
        }
        let digest = try #require(digests.first)
        #expect(shop.engine.recentEvidence.holds(digest, asVerified: true))
        #expect(try await submit() == "already_fulfilled finish")
        #expect(try await shop.count("SELECT COUNT(*) FROM evidence") == 1)

        _ = try await shop.engine.database.write { try $0.change("DELETE FROM evidence", []) }
        #expect(try await submit() == "already_fulfilled finish")
        #expect(try await shop.count("SELECT COUNT(*) FROM evidence") == 1)
        #expect(try await shop.count("SELECT COUNT(*) FROM submissions") == 3)
        #expect(try await shop.coins() == [100, 10])
        try await shop.expectBalancedBooks()
    }
}

@Suite("What a server remembers of evidence")
struct RememberedEvidence {
    @Test("Verified evidence stands for both, the oldest makes room, and none is there twice")
    func memory() {
        let recent = RecentEvidence(limit: 2)
        #expect(!recent.holds([1], asVerified: false))
        recent.remember([1], asVerified: false)
        #expect(recent.holds([1], asVerified: false) && !recent.holds([1], asVerified: true))
        recent.remember([1], asVerified: true)
        recent.remember([1], asVerified: false)
        #expect(recent.holds([1], asVerified: false) && recent.holds([1], asVerified: true))
        recent.remember([2], asVerified: true)
        #expect(recent.holds([1], asVerified: true))
        recent.remember([3], asVerified: true)
        #expect(!recent.holds([1], asVerified: false))
        #expect(recent.holds([2], asVerified: true) && recent.holds([3], asVerified: true))
        recent.remember([4], asVerified: true)
        #expect(!recent.holds([2], asVerified: true) && recent.holds([4], asVerified: true))
    }
}
