// SPDX-License-Identifier: Apache-2.0

/// The limits of the PostgreSQL engine.
package enum PostgresLimits {
    /// The oldest server that we run on, as `server_version_num` counts: 14.
    static let oldestVersion: Int64 = 140_000

    /// Connections that write, when nothing is configured. More gain little: the server commits
    /// what waits together with one sync.
    package static let defaultConnections = 8

    /// The most connections that may be configured for writing; a server allows 100 in all.
    package static let connectionRange: ClosedRange<Int64> = 1...64

    /// One connection that reads for so many that write.
    static let writersPerReader = 4

    /// The most writes, and the most reads, that wait; more than a server's connections, so that
    /// reaching it means the database has stopped.
    static let waitingCalls = 4096

    /// The most prepared statements one connection keeps; the program has fewer.
    static let preparedStatements = 256

    /// The most commands of one round trip. Their answers fit into the socket's buffer, so that
    /// the server never waits for us to read while we still send.
    static let commandsPerRoundTrip = 64

    /// The longest time one statement may take, in milliseconds, except in migrations: far longer
    /// than any of ours, short enough that a lost plan does not hold its locks for ever.
    static let statementMilliseconds: Int64 = 30_000

    /// The longest wait for a row's lock. Whoever holds one only computes between statements.
    static let lockMilliseconds: Int64 = 10_000

    /// How long the server waits for our next statement inside a transaction before it gives the
    /// locks of a server that died or hangs to others.
    static let idleTransactionMilliseconds: Int64 = 30_000

    /// How long we wait for any word from the server: longer than a statement may take.
    static let silenceMilliseconds: Int32 = 45_000

    /// How long a connection may take to open, in seconds, for each host of the address.
    static let connectSeconds = 5

    /// When a peer that is gone is noticed: probes after 15 silent seconds, 5 seconds apart, and
    /// sent bytes that nobody confirms for 20 seconds.
    static let keepaliveIdleSeconds = 15
    static let keepaliveIntervalSeconds = 5
    static let keepaliveCount = 3
    static let unconfirmedMilliseconds = 20_000

    /// How often a closure runs again because others were first. In each round one of those in
    /// conflict gets through, so this is several times the connections that write.
    static let conflictRetries = 64

    /// How often a closure is tried again after its connection was lost before the commit: enough
    /// for connections that a restart of the server has cut, not for a server that stays away,
    /// about which callers hear at once.
    static let connectionRetries = 4

    /// How often a start tries to reach a server that is not there yet, and the first and the
    /// longest pause between, in milliseconds: a minute in all, in which a machine starts both.
    static let startTries = 20
    static let firstStartPauseMilliseconds: Int64 = 500
    static let longestStartPauseMilliseconds: Int64 = 4_000

    /// The first pause before trying again and the longest, in milliseconds.
    static let firstPauseMilliseconds: Int64 = 4
    static let longestPauseMilliseconds: Int64 = 1_000
    static let longestConflictPauseMilliseconds: Int64 = 64
}
