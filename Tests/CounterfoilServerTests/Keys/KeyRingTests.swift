// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilCrypto
import CounterfoilDatabase
import CounterfoilServer
import CounterfoilStore
import CounterfoilTestSupport
import Testing

@Suite(.onEveryDatabase)
struct SecretKeysOpenTheirApp {
    private func withRing(_ body: (KeyRing) async throws -> Void) async throws {
        let folder = TemporaryFolder()
        let database = try await DatabaseEngine.current.open(in: folder)
        try await database.migrate(Schema.migrations, at: requestTime)
        let ring = KeyRing(
            database: database, clock: FixedClock(requestTime), random: SystemRandom())
        try await body(ring)
        await database.close()
    }

    @Test("A new key opens its app, and only its digest is kept")
    func create() async throws {
        try await withRing { ring in
            let app = try AppID("game")
            let (text, record) = try await ring.create(for: app, label: "shop")
            #expect(text.hasPrefix("cfs_"))
            #expect(text.utf8.count == 47)
            #expect(record.digest == Digest.sha256(text.utf8))
            let standing = try await ring.standing(ofKey: text)
            #expect(standing == .valid(Principal(app: app, keyID: record.keyID)))
            #expect(try await ring.keys(of: app) == [record])
            #expect(try await ring.keys(of: AppID("other")).isEmpty)
        }
    }

    @Test(
        "Another text opens nothing",
        arguments: ["", "cfs_", "cfs_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "Ünïcode"])
    func unknown(text: String) async throws {
        try await withRing { ring in
            _ = try await ring.create(for: AppID("game"), label: "")
            #expect(try await ring.standing(ofKey: text) == .unknown)
        }
    }

    @Test("A revoked key opens nothing, stays in the list, and is revoked once")
    func revoke() async throws {
        try await withRing { ring in
            let app = try AppID("game")
            let (text, record) = try await ring.create(for: app, label: "")
            let (kept, second) = try await ring.create(for: app, label: "")
            #expect(try await !ring.revoke(record.keyID, of: AppID("other")))
            #expect(try await ring.revoke(record.keyID, of: app))
            #expect(try await !ring.revoke(record.keyID, of: app))
            let revoked = Principal(app: app, keyID: record.keyID)
            #expect(try await ring.standing(ofKey: text) == .revoked(revoked))
            let other = Principal(app: app, keyID: second.keyID)
            #expect(try await ring.standing(ofKey: kept) == .valid(other))
            let listed = try await ring.keys(of: app)
            #expect(listed.count == 2)
            #expect(listed.first { $0.keyID == record.keyID }?.revokedAt == requestTime)
        }
    }
}
