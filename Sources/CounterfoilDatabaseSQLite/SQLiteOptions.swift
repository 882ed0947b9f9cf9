// SPDX-License-Identifier: Apache-2.0

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

    package init(scheduling: Scheduling = .threads(readers: 2)) {
        self.scheduling = scheduling
    }
}
