// SPDX-License-Identifier: Apache-2.0

/// Decides after each commit whether the log is long enough to be copied into the file.
///
/// A log that a reader keeps from ending grows on; asking again at each commit would cost a sync
/// each, so it is asked for once in every so many pages.
struct LogWatch {
    private var next = SQLiteLimits.logPages

    /// - Parameter pages: How many pages the log holds after this commit.
    mutating func isDue(at pages: Int32) -> Bool {
        if pages < SQLiteLimits.logPages {
            next = SQLiteLimits.logPages
            return false
        }
        guard pages >= next else { return false }
        next = pages + SQLiteLimits.logPages / 2
        return true
    }
}
