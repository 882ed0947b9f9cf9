// SPDX-License-Identifier: Apache-2.0

package import CounterfoilCore

/// Who sends a request, as its key shows.
package struct Principal: Hashable, Sendable {
    /// The app that the key belongs to.
    package let app: AppID

    /// Names the key in records and logs; the key itself stays unknown.
    package let keyID: UniqueID

    package init(app: AppID, keyID: UniqueID) {
        self.app = app
        self.keyID = keyID
    }
}

/// What a key is worth.
package enum KeyStanding: Hashable, Sendable {
    case valid(Principal)

    /// It was valid once and opens nothing any more.
    case revoked(Principal)

    /// There is no such key.
    case unknown
}

/// Finds out who sends a request.
package protocol Authenticator: Sendable {
    /// Whose a secret key is, and whether it still opens anything.
    func standing(ofKey secretKey: String) async throws -> KeyStanding
}
