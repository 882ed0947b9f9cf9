// SPDX-License-Identifier: Apache-2.0
import CounterfoilDatabase

/// Runs closures on a connection that only reads, each on one snapshot.
final class SnapshotReader: CallRunner {
    private let path: String
    private var connection: SQLiteConnection?

    init(path: String) {
        self.path = path
    }

    func run(_ calls: [PendingCall]) {
        for call in calls { run(call) }
    }

    private func run(_ call: PendingCall) {
        let reply: PendingCall.Reply
        do {
            let open = if let connection { connection } else { try reopen() }
            try open.run("BEGIN")
            reply = try call.run(on: open)
            try open.run("COMMIT")
        } catch {
            endSnapshot(after: error)
            return call.fail(error)
        }
        reply()
    }

    func close() {
        connection = nil
    }

    private func reopen() throws(DatabaseError) -> SQLiteConnection {
        let open = try SQLiteConnection.reopened { () throws(DatabaseError) in
            try .reader(path: path)
        }
        connection = open
        return open
    }

    /// Ends the snapshot; a connection that met a fault of the file is opened anew next time.
    private func endSnapshot(after error: any Error) {
        do {
            if let open = connection, open.isInTransaction { try open.run("ROLLBACK") }
        } catch {
            connection = nil
        }
        if let error = error as? DatabaseError, [.unavailable, .corrupt].contains(error.code) {
            connection = nil
        }
    }
}
