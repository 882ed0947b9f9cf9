// SPDX-License-Identifier: Apache-2.0

package import CounterfoilCore
package import CounterfoilDatabase
package import CounterfoilStore

/// The keys of a database: made, listed and revoked by an operator, looked up for each request.
package struct KeyRing: Authenticator {
    private let database: any Database
    private let clock: any WallClock
    private let random: any RandomSource

    package init(
        database: any Database, clock: any WallClock, random: any RandomSource
    ) {
        self.database = database
        self.clock = clock
        self.random = random
    }

    /// Makes a key for an app. Its text is returned this once; only its digest is kept.
    package func create(
        _ kind: KeyKind = .secret, for app: AppID, label: String
    ) async throws -> (text: String, record: APIKeyRecord) {
        let key = KeyText(kind, random: random)
        let record = APIKeyRecord(
            digest: key.digest, keyID: UniqueID.timeOrdered(at: clock.now, random: random),
            app: app, kind: kind.rawValue, label: label, createdAt: clock.now, revokedAt: nil)
        try await database.write { try $0.insert(record) }
        return (key.text, record)
    }

    /// Every app that the database knows, configured or not, in the order of their ids.
    package func knownApps() async throws -> [AppID] {
        try await database.read { try $0.knownApps() }
    }

    /// All keys of an app, revoked ones too, oldest first.
    package func keys(of app: AppID) async throws -> [APIKeyRecord] {
        try await database.read { try $0.apiKeys(app) }
    }

    /// Shuts a key out from the next request on; false if there is none with this id, or if it was
    /// revoked before.
    package func revoke(_ id: UniqueID, of app: AppID) async throws -> Bool {
        let now = clock.now
        return try await database.write { try $0.revokeAPIKey(app, id: id, at: now) }
    }

    /// Shuts out every key of an app.
    package func revokeAll(of app: AppID) async throws {
        let now = clock.now
        try await database.write { transaction in
            for key in try transaction.apiKeys(app) {
                _ = try transaction.revokeAPIKey(app, id: key.keyID, at: now)
            }
        }
    }

    package func standing(ofKey text: String) async throws -> KeyStanding {
        let digest = KeyText(text: text).digest
        let record = try await database.read { try $0.apiKey(digest: digest) }
        guard let record, let kind = KeyKind(rawValue: record.kind) else { return .unknown }
        let principal = Principal(app: record.app, keyID: record.keyID, kind: kind)
        return record.revokedAt == nil ? .valid(principal) : .revoked(principal)
    }
}
