// SPDX-License-Identifier: Apache-2.0
import CounterfoilDatabase

/// Asks a server what became of a transaction whose connection was lost during its commit.
struct CommitQuestion {
    enum Answer {
        case committed, rolledBack

        /// Nobody knows, and nobody will.
        case unknown

        /// Not yet known: the commit still runs, or the server cannot be reached.
        case askAgain
    }

    private let transactionNumber: Int64
    private let server: ServerState

    /// - Returns: Nil for a transaction that the server gave no number, since it wrote nothing: to
    ///   run it again is harmless.
    init?(_ connection: PostgresConnection) {
        guard let number = connection.transactionNumber, let server = connection.server else {
            return nil
        }
        transactionNumber = number
        self.server = server
    }

    func answer(on connection: PostgresConnection) throws(PostgresFailure) -> Answer {
        // On another timeline the number may be another transaction's. And where commits wait for
        // a standby, a commit whose wait was cut off stands here and may not stand there.
        guard let now = connection.server, now.timeline != nil, now.timeline == server.timeline,
            !server.isReplicated, !now.isReplicated
        else { return .unknown }
        let rows = try connection.query(selectStatus, [.integer(transactionNumber)])
        return switch rows.first?.values.first {
        case .text("committed"): .committed
        case .text("aborted"): .rolledBack
        case .text("in progress"): .askAgain
        default: .unknown
        }
    }
}

private let selectStatus: SQL = "SELECT pg_xact_status(CAST(CAST($1 AS text) AS xid8))"
