// SPDX-License-Identifier: Apache-2.0

/// The limits of the SQLite engine.
enum SQLiteLimits {
    /// The most closures committed together.
    ///
    /// The batch is whatever came during the last sync, so this only bounds how long the first of
    /// them can wait for the others.
    static let closuresPerCommit = 500

    /// The most writes that wait; more than a server's connections, so that reaching it means the
    /// disk has stopped.
    static let waitingWrites = 4096

    /// The most reads that wait.
    static let waitingReads = 4096

    /// The most prepared statements one connection keeps; the program has fewer.
    static let preparedStatements = 256

    /// The page cache of the writing connection in KiB: it touches the interior of every index.
    static let writerCacheKiB = 16_000

    /// The page cache of each reading connection in KiB; the system's file cache stands behind it.
    static let readerCacheKiB = 2_000

    /// How long another process may hold the database before a call is `busy`, in milliseconds.
    static let busyTimeoutMilliseconds: Int32 = 5_000
}
