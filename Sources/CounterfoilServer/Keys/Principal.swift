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

/// Finds out who sends a request.
package protocol Authenticator: Sendable {
    /// The owner of a secret key, or nil if there is no such key or it was revoked.
    func principal(secretKey: String) async throws -> Principal?
}
