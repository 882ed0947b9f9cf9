// SPDX-License-Identifier: Apache-2.0
import CounterfoilDatabase

/// A connection with its prepared statements and the commands that wait for the next round trip;
/// used by one thread at a time.
final class PostgresConnection {
    private let handle: PostgresHandle
    private var statements = PreparedStatements()
    private var sent: [Command] = []

    /// False once the connection cannot be used any more.
    private(set) var isUsable = true

    /// Whether BEGIN was sent and neither COMMIT nor ROLLBACK was.
    private(set) var isInTransaction = false

    /// Whether the open transaction, or the one whose end failed, ran a statement that can write.
    private(set) var hasWritten = false

    init(_ handle: PostgresHandle) {
        self.handle = handle
    }

    /// Sets the limits of the session.
    func setUp() throws(PostgresFailure) {
        for (setting, value) in [
            ("statement_timeout", PostgresLimits.statementMilliseconds),
            ("lock_timeout", PostgresLimits.lockMilliseconds),
            ("idle_in_transaction_session_timeout", PostgresLimits.idleTransactionMilliseconds),
        ] {
            try send("SET \(setting) = \(value)", .run(.any))
        }
        // A warning decides about a commit.
        try send("SET client_min_messages = warning", .run(.any))
    }

    // MARK: Statements

    /// Sends BEGIN in the mode with the next round trip.
    func begin(_ mode: String) throws(PostgresFailure) {
        hasWritten = false
        handle.isPatient = false
        try send("BEGIN ISOLATION LEVEL \(mode)", .run(.any))
        isInTransaction = true
        for name in statements.takeDropped() { try send("DEALLOCATE \(name)", .run(.any)) }
    }

    /// Lets each statement take its time until the transaction ends.
    func liftTimeLimit() throws(PostgresFailure) {
        try send("SET LOCAL statement_timeout = 0", .run(.any))
        handle.isPatient = true
    }

    /// Sends a statement whose result nobody waits for.
    func execute(
        _ key: StatementKey, _ values: [DatabaseValue], expecting expected: ExpectedRows
    ) throws(PostgresFailure) {
        if sent.count >= PostgresLimits.commandsPerRoundTrip { try flush() }
        try send(key, values, .run(expected))
    }

    /// Runs a query now, with all that waits before it.
    func query(_ sql: SQL, _ values: [DatabaseValue]) throws(PostgresFailure) -> [Row] {
        try query(.plain(sql), values)
    }

    func query(_ key: StatementKey, _ values: [DatabaseValue]) throws(PostgresFailure) -> [Row] {
        try send(key, values, .wanted(rows: true))
        return try flush().rows
    }

    /// Runs a statement now, with all that waits before it, and returns how many rows it changed.
    func change(_ sql: SQL, _ values: [DatabaseValue]) throws(PostgresFailure) -> Int {
        try send(.plain(sql), values, .wanted(rows: false))
        return try flush().rowCount
    }

    private func send(
        _ key: StatementKey, _ values: [DatabaseValue], _ purpose: Command.Purpose
    ) throws(PostgresFailure) {
        let (statement, isNew): (PreparedStatement, Bool)
        do throws(DatabaseError) {
            (statement, isNew) = try prepared(key, values)
        } catch {
            throw PostgresFailure(.none, error)
        }
        let text = statement.statement.text
        if isNew {
            try sending(Command(purpose: .preparation(statement), text: text)) {
                () throws(PostgresFailure) in
                try handle.sendPreparation(of: text, as: statement.name, types: statement.types)
            }
        }
        if statement.statement.mayWrite { hasWritten = true }
        try sending(Command(purpose: purpose, sql: key.sql, text: text)) {
            () throws(PostgresFailure) in try handle.sendRun(of: statement.name, values)
        }
    }

    /// The statement for the values, once they are known to fit.
    private func prepared(
        _ key: StatementKey, _ values: [DatabaseValue]
    ) throws(DatabaseError) -> (PreparedStatement, isNew: Bool) {
        for value in values where value.byteCount > DatabaseLimits.valueBytes {
            throw DatabaseError(.tooLarge, "a value is larger than the limit")
        }
        let (statement, isNew) = try statements.statement(for: key, values)
        let count = statement.statement.parameterCount
        guard values.count == count else {
            if isNew { statements.forget(statement) }
            throw DatabaseError(
                .statement, "a statement has \(count) parameters, not \(values.count)",
                details: statement.statement.text)
        }
        return (statement, isNew)
    }

    private func send(_ text: String, _ purpose: Command.Purpose) throws(PostgresFailure) {
        try sending(Command(purpose: purpose, text: text)) { () throws(PostgresFailure) in
            try handle.send(text)
        }
    }

    private func sending(
        _ command: Command, _ body: () throws(PostgresFailure) -> Void
    ) throws(PostgresFailure) {
        do {
            try body()
        } catch {
            isUsable = false
            throw error
        }
        sent.append(command)
    }

    // MARK: Round trips

    /// Sends what waits and reads all results; returns the wanted one.
    ///
    /// - Throws: The first failure, after which the transaction can only be rolled back.
    @discardableResult
    func flush() throws(PostgresFailure) -> CommandResult {
        let commands = sent
        sent = []
        guard !commands.isEmpty else { return CommandResult() }
        var wanted = CommandResult()
        var failure: PostgresFailure?
        do {
            try handle.sendSync()
            for command in commands {
                let result = try handle.result(of: command.text, wantsRows: command.wantsRows)
                do throws(PostgresFailure) {
                    try note(result, of: command)
                } catch {
                    if failure == nil { failure = error }
                }
                if case .wanted = command.purpose { wanted = result }
            }
            try handle.readSync()
        } catch {
            isUsable = false
            // What the server refused before it hung up says more than that it did.
            throw failure ?? error
        }
        if let failure { throw failure }
        return wanted
    }

    private func note(_ result: CommandResult, of command: Command) throws(PostgresFailure) {
        if case .preparation(let statement) = command.purpose,
            result.failure != nil || result.wasSkipped
        {
            statements.forget(statement)
        }
        if let failure = result.failure { throw failure }
        guard !result.wasSkipped else { return }
        switch command.purpose {
        case .run(let expected):
            guard let sql = command.sql else { return }
            do {
                try expected.check(result.rowCount, of: sql)
            } catch {
                throw PostgresFailure(.none, error)
            }
        case .wanted, .preparation: break
        }
    }

    // MARK: Ends

    /// Commits what was run; nothing may wait any more, since its row counts were not checked yet.
    ///
    /// - Throws: With ``isUsable`` false when nobody can say whether the commit happened.
    func commit() throws(PostgresFailure) {
        precondition(sent.isEmpty, "a commit would keep what a check refuses")
        _ = handle.takeWarning()
        try send("COMMIT", .wanted(rows: false))
        let result = try flush()
        isInTransaction = false
        // Somebody cancelled the wait for the standby: it is kept here and perhaps not there.
        guard !handle.takeWarning() else {
            isUsable = false
            throw .lost("the server warned of its commit")
        }
        // The server answers so to the COMMIT of a transaction in which something failed.
        guard result.tag == "COMMIT" else {
            throw PostgresFailure(
                .again, DatabaseError(.unavailable, "the database rolled the transaction back"))
        }
    }

    /// Undoes what is open; a connection on which that fails is given up.
    func rollBack() {
        guard isUsable, isInTransaction else { return }
        do throws(PostgresFailure) {
            try send("ROLLBACK", .wanted(rows: false))
            // What waited before it may fail, now that nobody wants it; then a second one is needed.
            if try endTag() != "ROLLBACK" {
                try send("ROLLBACK", .wanted(rows: false))
                guard try endTag() == "ROLLBACK" else { throw .lost("ROLLBACK did nothing") }
            }
            isInTransaction = false
        } catch {
            isUsable = false
        }
    }

    private func endTag() throws(PostgresFailure) -> String {
        do {
            return try flush().tag
        } catch  where isUsable {
            return ""
        }
    }
}

extension DatabaseValue {
    fileprivate var byteCount: Int {
        switch self {
        case .null, .integer: 8
        case .text(let text): text.utf8.count
        case .bytes(let bytes): bytes.count
        }
    }
}
