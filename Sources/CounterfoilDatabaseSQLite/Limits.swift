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

    /// The page cache of the connection that copies the log, in KiB: it reads the log, not the cache.
    static let checkpointerCacheKiB = 64

    /// The page of a new database in bytes. A purchase changes some forty pages by a few hundred
    /// bytes each, and the log takes every changed page whole: half the page is little more than half the log.
    static let pageBytes = 2_048

    /// From how many pages on the log is copied into the file: 8 MB, which a start after a crash
    /// reads in some milliseconds; the longer it is, the more often one copy stands for several
    /// changes of a page.
    static let logPages: Int32 = 4_096

    /// From how many pages on readers must give back the snapshots that keep the log: 128 MB, more
    /// than a second of the busiest server, where a read takes milliseconds.
    static let longLogPages: Int32 = 65_536

    /// How many steps of the library's machine a reader makes between two looks at whether it must
    /// give up: some microseconds.
    static let stepsBetweenLooks: Int32 = 1_000

    /// How long the writer waits at most while the log is cut, in milliseconds.
    static let cutTimeoutMilliseconds = 250

    /// How long another process may hold the database before a call is `busy`, in milliseconds.
    static let busyTimeoutMilliseconds: Int32 = 5_000
}
