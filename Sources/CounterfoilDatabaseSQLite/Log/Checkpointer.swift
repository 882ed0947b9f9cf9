// SPDX-License-Identifier: Apache-2.0
import CounterfoilDatabase

/// Copies the log into the database file, on a connection of its own; used by one thread at a time.
final class Checkpointer {
    private let file: SQLiteFile
    private let turns: WriterTurns
    private let readers: [Patience]
    private var connection: SQLiteConnection?

    init(file: SQLiteFile, turns: WriterTurns, readers: [Patience]) {
        self.file = file
        self.turns = turns
        self.readers = readers
    }

    /// Copies what can be copied, so that the next commit may start the log over.
    ///
    /// The bulk goes beside the writer; a busy writer would stay ahead for ever, so the rest goes in a
    /// turn of its own. When the log has grown very long, some snapshot has kept it: its reader must
    /// begin again, and the log is cut.
    ///
    /// A failure loses nothing, since the log still holds everything; but the connection is not
    /// trusted again, and the next call tries with another.
    func shorten(logOf pages: Int32) {
        do {
            let open = try connection ?? .checkpointer(file)
            connection = open
            try open.checkpoint(.passive)
            try turns.take { () throws(DatabaseError) in try open.checkpoint(.passive) }
            if pages >= SQLiteLimits.longLogPages {
                for reader in readers { reader.end() }
                try turns.take { () throws(DatabaseError) in try open.checkpoint(.truncate) }
            }
        } catch {
            connection = nil
        }
    }

    func close() {
        connection = nil
    }
}
