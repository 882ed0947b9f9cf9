// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilDatabase

/// Runs closures on the connection that writes: many in one commit, none able to harm another.
///
/// Every caller is answered after the commit that holds its work, or told that it failed.
final class BatchWriter: CallRunner {
    private let path: String
    private let clock: (any WallClock)?
    private var connection: SQLiteConnection?

    init(path: String, clock: (any WallClock)? = nil) throws(DatabaseError) {
        try SQLiteFile.create(at: path)
        self.path = path
        self.clock = clock
        connection = try .writer(path: path, clock: clock)
    }

    func run(_ calls: [PendingCall]) {
        guard calls.count > 1 else { return calls.forEach(runAlone) }
        // Closures seldom throw, and a savepoint makes SQLite copy each page before it changes:
        // they are tried without first, and only a batch with a failure in it runs again.
        if runTogether(calls, by: runPlainly) { return }
        if runTogether(calls, by: runInSavepoint) { return }
        // Something ended the transaction under the batch (a full disk does): each call gets a
        // transaction of its own, so that only the guilty one fails.
        calls.forEach(runAlone)
    }

    /// The last connection that is closed also copies the log into the file.
    func close() {
        connection = nil
    }

    private func runAlone(_ call: PendingCall) {
        let reply: PendingCall.Reply
        do {
            let connection = try begin()
            reply = try runPlainly(call, on: connection)
        } catch {
            rollBack()
            return call.fail(error)
        }
        commit { error in
            if let error { call.fail(error) } else { reply() }
        }
    }

    /// Runs all calls in one transaction; false, with nobody answered and nothing stored, if `run`
    /// threw for one of them.
    private func runTogether(
        _ calls: [PendingCall],
        by run: (PendingCall, SQLiteConnection) throws -> PendingCall.Reply
    ) -> Bool {
        let connection: SQLiteConnection
        do {
            connection = try begin()
        } catch {
            rollBack()
            for call in calls { call.fail(error) }
            return true
        }
        var answers: [PendingCall.Reply] = []
        answers.reserveCapacity(calls.count)
        for call in calls {
            do {
                try answers.append(run(call, connection))
            } catch {
                rollBack()
                return false
            }
        }
        commit { error in
            if let error {
                for call in calls { call.fail(error) }
            } else {
                for answer in answers { answer() }
            }
        }
        return true
    }

    private func runPlainly(
        _ call: PendingCall, on connection: SQLiteConnection
    ) throws -> PendingCall.Reply {
        let reply = try call.run(on: connection)
        guard connection.isInTransaction else { throw lostTransaction }
        return reply
    }

    /// Returns the answer to give after the commit: the result, or the closure's own error when
    /// its savepoint was rolled back.
    ///
    /// - Throws: When the transaction around the savepoint is gone.
    private func runInSavepoint(
        _ call: PendingCall, on connection: SQLiteConnection
    ) throws -> PendingCall.Reply {
        try connection.run("SAVEPOINT closure")
        do {
            let reply = try runPlainly(call, on: connection)
            try connection.run("RELEASE closure")
            return reply
        } catch {
            guard connection.isInTransaction else { throw error }
            try connection.run("ROLLBACK TO closure")
            try connection.run("RELEASE closure")
            return { call.fail(error) }
        }
    }

    /// Opens the transaction, and the connection again if it was given up.
    private func begin() throws(DatabaseError) -> SQLiteConnection {
        let open = if let connection { connection } else { try reopen() }
        try open.run("BEGIN IMMEDIATE")
        return open
    }

    @discardableResult
    private func reopen() throws(DatabaseError) -> SQLiteConnection {
        let open = try SQLiteConnection.reopened { () throws(DatabaseError) in
            try .writer(path: path, clock: clock)
        }
        connection = open
        return open
    }

    /// Commits with one sync and tells `answer` how that went.
    ///
    /// After a failed commit nobody can say what is on disk, so the connection is given up and a
    /// new one starts from what the file really holds.
    private func commit(_ answer: (DatabaseError?) -> Void) {
        do {
            try connection?.run("COMMIT")
            answer(nil)
        } catch {
            rollBack()
            connection = nil
            // At once, since new readers need a writer's log beside them; if it fails, the next
            // call tries again and says why.
            _ = try? reopen()
            answer(
                DatabaseError(
                    error.code == .full ? .full : .unavailable, "the commit failed",
                    details: error.debugDescription))
        }
    }

    /// Undoes what is open.
    ///
    /// A rollback that fails leaves a connection in an unknown state, so it is given up; closing
    /// it rolls back.
    private func rollBack() {
        guard let open = connection, open.isInTransaction else { return }
        do {
            try open.run("ROLLBACK")
        } catch {
            connection = nil
        }
    }

    private var lostTransaction: DatabaseError {
        DatabaseError(.unavailable, "the database gave up the transaction")
    }
}
