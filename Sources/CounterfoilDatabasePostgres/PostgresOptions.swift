// SPDX-License-Identifier: Apache-2.0
package import CounterfoilCore
package import CounterfoilDatabase

/// How the PostgreSQL engine works.
package struct PostgresOptions: Sendable {
    /// What parallel transactions may see of each other.
    package enum Isolation: String, Sendable, CaseIterable {
        /// Every statement sees what was committed before it; row locks keep the order.
        case readCommitted = "read_committed"

        /// Transactions that could not have run one after the other are run again.
        case serializable
    }

    /// Where closures run.
    package enum Scheduling: Sendable {
        /// On threads that each own a connection: so many that write, and a few that read.
        case threads(writers: Int)

        /// In the call itself, one after the other, on one connection for each kind.
        case inline
    }

    package var scheduling: Scheduling
    package var isolation: Isolation

    /// Takes a server that may lose what it has acknowledged (`fsync`, `full_page_writes` or
    /// `synchronous_commit` off; several hosts without a synchronous standby).
    package var allowsWeakDurability: Bool

    /// Asked for each connection, so that a changed password needs no restart; nil leaves it to the
    /// address and to libpq's own environment and files.
    package var password: (@Sendable () throws -> String)?

    /// Asked at the start, before each pause while the server is not there yet, whether to wait for
    /// it, a minute at most; nil does not wait.
    package var waitsForServer: (@Sendable (DatabaseError) -> Bool)?

    /// What transactions take for the database's clock; nil is the server's, which all of our
    /// servers share, so anything else is for tests.
    package var clock: (any WallClock)?

    /// Spreads the pauses before tries, so that those in conflict do not meet again.
    package var random: any RandomSource

    package init(
        random: any RandomSource,
        scheduling: Scheduling = .threads(writers: PostgresLimits.defaultConnections),
        isolation: Isolation = .readCommitted, allowsWeakDurability: Bool = false,
        password: (@Sendable () throws -> String)? = nil
    ) {
        self.random = random
        self.scheduling = scheduling
        self.isolation = isolation
        self.allowsWeakDurability = allowsWeakDurability
        self.password = password
    }
}
