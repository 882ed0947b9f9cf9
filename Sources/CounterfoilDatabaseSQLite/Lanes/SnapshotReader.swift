// SPDX-License-Identifier: Apache-2.0
import CounterfoilDatabase

/// Runs closures on a connection that only reads, each on one snapshot.
final class SnapshotReader: CallRunner {
    private let file: SQLiteFile
    private let patience: Patience
    private var connection: SQLiteConnection?

    init(_ file: SQLiteFile, patience: Patience) {
        self.file = file
        self.patience = patience
    }

    func run(_ calls: [PendingCall]) {
        for call in calls {
            do {
                try answer(call)
            } catch {
                call.fail(error)
            }
        }
    }

    /// A closure whose snapshot was needed back begins again on a new one, once.
    private func answer(_ call: PendingCall) throws {
        do {
            try runOnSnapshot(call)
        } catch  where patience.isOver {
            try runOnSnapshot(call)
        }
    }

    private func runOnSnapshot(_ call: PendingCall) throws {
        patience.renew()
        let reply: PendingCall.Reply
        do {
            let open = if let connection { connection } else { try reopen() }
            try open.run("BEGIN")
            reply = try call.run(on: open)
            try open.run("COMMIT")
        } catch {
            endSnapshot(after: error)
            throw error
        }
        reply()
    }

    func close() {
        connection = nil
    }

    private func reopen() throws(DatabaseError) -> SQLiteConnection {
        let open = try SQLiteConnection.reopened { () throws(DatabaseError) in
            try .reader(file, patience: patience)
        }
        connection = open
        return open
    }

    /// Ends the snapshot; a connection that met a fault of the file is opened anew next time.
    private func endSnapshot(after error: any Error) {
        if (error as? DatabaseError)?.isFaultOfFile == true {
            connection = nil
            return
        }
        do {
            if let open = connection, open.isInTransaction { try open.run("ROLLBACK") }
        } catch {
            connection = nil
        }
    }
}
