// SPDX-License-Identifier: Apache-2.0

package import CounterfoilCore
package import CounterfoilDatabase

/// How the entry begins that says in which world an app was born.
private let worldPrefix = "world:"

extension ReadTransaction {
    /// Every app that ever started on this database or has a key in it, in the order of their ids.
    package func knownApps() throws(DatabaseError) -> [AppID] {
        let started = try rows(
            "SELECT name FROM installation WHERE name >= $1 AND name < $2",
            // The semicolon is the character behind the colon.
            [.text(worldPrefix), .text("world;")]
        ).map { row throws(DatabaseError) in try row.text(0) }
        var apps = Set(started.compactMap { try? AppID(String($0.dropFirst(worldPrefix.count))) })
        for row in try rows("SELECT DISTINCT app FROM api_keys") {
            apps.insert(try row.identifier(0))
        }
        return apps.sorted()
    }
}

// What is true of the database as a whole.
extension WriteTransaction {
    /// Records in which world an app was born, and returns what was recorded first.
    package func ensureWorld(_ world: String, of app: AppID) throws(DatabaseError) -> String {
        let name = "\(worldPrefix)\(app)"
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
