// SPDX-License-Identifier: Apache-2.0

import CounterfoilDatabase

extension Schema {
    /// The SHA-256 of the secret by which an anonymous customer shows that an id is theirs. It belongs to
    /// the id and goes with it, whichever customer the id names later.
    static let customerSecrets: [Migration.Step] = [
        .addColumn(.bytes("secret_digest", maximum: 32).nullable, to: "aliases")
    ]
}
