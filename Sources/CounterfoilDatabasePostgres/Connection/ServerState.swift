// SPDX-License-Identifier: Apache-2.0
import CounterfoilDatabase

/// What a server says of itself when a connection is opened.
struct ServerState: Sendable, Equatable {
    var version: Int64
    var isStandby: Bool
    var encoding: String
    var syncsFiles: String
    var writesFullPages: String
    var synchronousCommit: String
    var synchronousStandbys: String

    static func read(from connection: PostgresConnection) throws(PostgresFailure) -> ServerState {
        let rows = try connection.query(selectState, [])
        guard let row = rows.first else { throw .lost("the server does not say what it is") }
        do {
            return ServerState(
                version: try row.integer(0), isStandby: try row.boolean(1),
                encoding: try row.text(2), syncsFiles: try row.text(3),
                writesFullPages: try row.text(4), synchronousCommit: try row.text(5),
                synchronousStandbys: try row.text(6))
        } catch {
            throw PostgresFailure(.none, error)
        }
    }

    /// Refuses a server on which promises could not be kept.
    func check(hasSeveralHosts: Bool, allowsWeakDurability: Bool) throws(DatabaseError) {
        guard version >= PostgresLimits.oldestVersion else {
            throw DatabaseError(
                .cannotOpen,
                "the database server is PostgreSQL \(version / 10_000); 14 or newer is needed")
        }
        guard !isStandby else {
            throw DatabaseError(
                .readOnly, "the database server is a standby; the address must name the primary")
        }
        guard encoding == "UTF8" else {
            throw DatabaseError(
                .cannotOpen, "the database's encoding is \(encoding); UTF8 is needed")
        }
        let weak = weakSettings(hasSeveralHosts: hasSeveralHosts)
        guard weak.isEmpty || allowsWeakDurability else {
            throw DatabaseError(
                .cannotOpen,
                "the database server may lose what it has acknowledged: "
                    + "\(weak.joined(separator: ", ")); allow_weak_durability takes it all the same"
            )
        }
    }

    /// Settings under which an acknowledged commit can be lost.
    private func weakSettings(hasSeveralHosts: Bool) -> [String] {
        var weak: [String] = []
        if syncsFiles != "on" { weak.append("fsync is \(syncsFiles)") }
        if writesFullPages != "on" { weak.append("full_page_writes is \(writesFullPages)") }
        if synchronousCommit == "off" { weak.append("synchronous_commit is off") }
        if hasSeveralHosts, !isReplicated {
            weak.append("there are several hosts and no synchronous standby")
        }
        if synchronousCommit == "local", !synchronousStandbys.isEmpty {
            weak.append("synchronous_commit is local although there are synchronous standbys")
        }
        return weak
    }

    /// Whether a commit waits for another server.
    private var isReplicated: Bool { !synchronousStandbys.isEmpty && synchronousCommit != "local" }
}

private let selectState: SQL = """
    SELECT CAST(current_setting('server_version_num') AS bigint), pg_is_in_recovery(),
    current_setting('server_encoding'), current_setting('fsync'),
    current_setting('full_page_writes'), current_setting('synchronous_commit'),
    current_setting('synchronous_standby_names')
    """
