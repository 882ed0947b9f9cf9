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

    package init(
        scheduling: Scheduling = .threads(readers: 2), clock: (any WallClock)? = nil
    ) {
        self.scheduling = scheduling
        self.clock = clock
    }
}
