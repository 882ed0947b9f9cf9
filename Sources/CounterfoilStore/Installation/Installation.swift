// SPDX-License-Identifier: Apache-2.0

package import CounterfoilCore
package import CounterfoilDatabase

// What is true of the database as a whole.
extension WriteTransaction {
    /// Records in which world an app was born, and returns what was recorded first.
    package func ensureWorld(_ world: String, of app: AppID) throws(DatabaseError) -> String {
        let name = "world:\(app)"
        try execute(
            """
            INSERT INTO installation (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING
            """, [.value(name), .value(world)])
        let recorded = try row("SELECT value FROM installation WHERE name = $1", [.value(name)])
        return try recorded?.text(0) ?? world
    }

    /// The epoch of this database: drawn once, so that readers notice a restored backup.
    package func ensureEpoch(fresh: UniqueID) throws(DatabaseError) -> UniqueID {
        try execute(
            """
            INSERT INTO installation (name, value) VALUES ('epoch', $1)
            ON CONFLICT (name) DO NOTHING
            """, [.value(fresh.description)])
        let text = try row("SELECT value FROM installation WHERE name = 'epoch'")?.text(0)
        guard let epoch = text.flatMap({ UniqueID($0) }) else {
            throw DatabaseError(.unexpectedValue, "the database has no readable epoch")
        }
        return epoch
    }
}
