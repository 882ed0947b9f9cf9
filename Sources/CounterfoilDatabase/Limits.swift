// SPDX-License-Identifier: Apache-2.0

/// The limits of the database contract; every engine keeps them.
package enum DatabaseLimits {
    /// The most rows one query may return.
    ///
    /// A result is held in memory whole, so a query without a bound of its own is a defect; pages
    /// and chunks are far smaller than this.
    package static let rowsPerQuery = 100_000

    /// The largest text or blob in bytes: several times the largest body the server takes, far
    /// below what either engine could hold.
    package static let valueBytes = 64 << 20

    /// The longest migration name in bytes; a name is a few words.
    package static let migrationNameBytes = 100
}
