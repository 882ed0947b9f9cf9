// SPDX-License-Identifier: Apache-2.0
import CounterfoilDatabase

/// Something that was sent and whose result was not read yet.
struct Command {
    enum Purpose {
        /// Nobody waits for its result.
        case run(ExpectedRows)

        /// Somebody waits for its result.
        case wanted(rows: Bool)
        case preparation(PreparedStatement)
    }

    let purpose: Purpose

    /// The statement as the caller wrote it; nil where it is ours.
    var sql: SQL?
    let text: String

    var wantsRows: Bool {
        switch purpose {
        case .wanted(let rows): rows
        case .run, .preparation: false
        }
    }
}
