// SPDX-License-Identifier: Apache-2.0
package import CounterfoilCore

/// How the SQLite engine works.
package struct SQLiteOptions: Sendable {
    /// Where closures run.
    package enum Scheduling: Sendable {
        /// On one thread that writes and some that read.
        case threads(readers: Int)

        /// In the call itself, one after the other, so that a simulation decides every order.
        case inline
    }

    package var scheduling: Scheduling

    /// What transactions take for the database's clock; nil is the library's own, the system's.
    package var clock: (any WallClock)?

    /// Whether this is a server, of which a file has one at a time; other programs, such as one that
    /// makes a key, may have the file open beside it.
    package var isServer: Bool

    /// Whether a missing file is made; if not, it is `cannotOpen`.
    package var makesFile: Bool

    /// The library's name of the file system that holds the database; nil is the system's own.
    package var fileSystem: String?

    /// When a commit returns. Anything but `full` loses what was acknowledged; only tests that show
    /// this can reach it.
    var synchronous = Synchronous.full

    package init(
        scheduling: Scheduling = .threads(readers: 2), clock: (any WallClock)? = nil,
        isServer: Bool = false, makesFile: Bool = true, fileSystem: String? = nil
    ) {
        self.scheduling = scheduling
        self.clock = clock
        self.isServer = isServer
        self.makesFile = makesFile
        self.fileSystem = fileSystem
    }

    /// SQLite's levels by their numbers.
    enum Synchronous: Int64, Sendable {
        case off = 0
        case normal = 1
        case full = 2
    }
}
