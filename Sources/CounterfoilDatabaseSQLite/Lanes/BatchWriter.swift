// SPDX-License-Identifier: Apache-2.0
import CounterfoilDatabase

/// Runs closures on the connection that writes: many in one commit, none able to harm another.
///
/// Every caller is answered after the commit that holds its work, or told that it failed.
final class BatchWriter: CallRunner {
    private let file: SQLiteFile
    private var connection: SQLiteConnection?
    private var turns = WriterTurns()
    private var keeper: LogKeeper?
    private var watch = LogWatch()

    init(_ file: SQLiteFile) throws(DatabaseError) {
        try file.create()
        self.file = file
        connection = try .writer(file)
    }

    /// Tells who shortens the log, and the turns that both take.
    func share(_ turns: WriterTurns, with keeper: LogKeeper) {
        self.turns = turns
        self.keeper = keeper
    }

    func run(_ calls: [PendingCall]) {
        turns.take { runAll(calls) }
        guard let pages = connection?.logPages, watch.isDue(at: pages) else { return }
        keeper?.request(logOf: pages)
    }

    private func runAll(_ calls: [PendingCall]) {
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
            try begin()
            reply = try runPlainly(call)
        } catch {
            rollBack(after: error)
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
        by run: (PendingCall) throws -> PendingCall.Reply
    ) -> Bool {
        do {
            try begin()
        } catch {
            rollBack(after: error)
            for call in calls { call.fail(error) }
            return true
        }
        var answers: [PendingCall.Reply] = []
        answers.reserveCapacity(calls.count)
        for call in calls {
            do {
                try answers.append(run(call))
            } catch {
                rollBack(after: error)
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

    private func runPlainly(_ call: PendingCall) throws -> PendingCall.Reply {
        guard let connection else { throw lostTransaction }
        let reply = try call.run(on: connection)
        guard connection.isInTransaction else { throw lostTransaction }
        return reply
    }

    /// Returns the answer to give after the commit: the result, or the closure's own error when
    /// its savepoint was rolled back.
    ///
    /// - Throws: When the transaction around the savepoint is gone.
    private func runInSavepoint(_ call: PendingCall) throws -> PendingCall.Reply {
        guard let connection else { throw lostTransaction }
        try connection.run("SAVEPOINT closure")
        do {
            let reply = try runPlainly(call)
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
    private func begin() throws(DatabaseError) {
        if connection == nil { try reopen() }
        try connection?.run("BEGIN IMMEDIATE")
    }

    private func reopen() throws(DatabaseError) {
        connection = try .reopened { () throws(DatabaseError) in try .writer(file) }
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
            rollBack(after: error)
            connection = nil
            // At once, since new readers need a writer's log beside them; if it fails, the next
            // call tries again and says why.
            try? reopen()
            answer(
                DatabaseError(
                    error.code == .full ? .full : .unavailable, "the commit failed",
                    details: error.debugDescription))
        }
    }

    /// Undoes what is open.
    ///
    /// A connection that met a fault of the file, or whose rollback fails, is in a state that nobody
    /// knows, so it is given up.
    private func rollBack(after error: any Error) {
        do {
            if let connection, connection.isInTransaction { try connection.run("ROLLBACK") }
            if (error as? DatabaseError)?.isFaultOfFile != true { return }
        } catch {
            // Closing it rolls back.
        }
        connection = nil
    }

    private var lostTransaction: DatabaseError {
        DatabaseError(.unavailable, "the database gave up the transaction")
    }
}

extension DatabaseError {
    /// Whether the file or the memory failed below the library, after which its connection is not
    /// used again.
    var isFaultOfFile: Bool {
        [.unavailable, .corrupt, .cannotOpen, .readOnly].contains(code)
    }
}
