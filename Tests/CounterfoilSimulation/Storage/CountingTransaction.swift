// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilDatabase

/// How many statements a transaction may still run.
///
/// `@unchecked Sendable`: used on the scheduler's thread alone, as ``Scheduler`` proves.
final class StatementCount: @unchecked Sendable {
    private var left: Int?
    private(set) var isReached = false

    init(_ left: Int?) {
        self.left = left
    }

    func take() throws(DatabaseError) {
        guard let left else { return }
        if left == 0 {
            isReached = true
            throw DatabaseError(.full, "simulated: no space is left")
        }
        self.left = left - 1
    }
}

/// A transaction that may fail at a statement, and whose locks are looked at.
final class CountingTransaction: WriteTransaction {
    private let transaction: any WriteTransaction
    private let count: StatementCount

    private let discipline: LockDiscipline
    let hasSingleWriter: Bool

    init(
        _ transaction: any WriteTransaction, _ count: StatementCount,
        _ discipline: LockDiscipline, _ hasSingleWriter: Bool
    ) {
        self.discipline = discipline
        self.transaction = transaction
        self.count = count
        self.hasSingleWriter = hasSingleWriter
    }

    func rows(_ sql: SQL, _ parameters: [DatabaseValue]) throws(DatabaseError) -> [Row] {
        try count.take()
        discipline.run(sql)
        return try transaction.rows(sql, parameters)
    }

    func execute(
        _ sql: SQL, _ parameters: [DatabaseValue], expecting: ExpectedRows
    ) throws(DatabaseError) {
        try count.take()
        discipline.run(sql)
        try transaction.execute(sql, parameters, expecting: expecting)
    }

    func change(_ sql: SQL, _ parameters: [DatabaseValue]) throws(DatabaseError) -> Int {
        try count.take()
        discipline.run(sql)
        return try transaction.change(sql, parameters)
    }

    func lock(_ key: LockKey) throws(DatabaseError) {
        discipline.lock(key)
        try transaction.lock(key)
    }

    func liftTimeLimit() throws(DatabaseError) {
        try transaction.liftTimeLimit()
    }

    func currentTime() throws(DatabaseError) -> Instant {
        try transaction.currentTime()
    }

    func unlockedRows(_ sql: SQL, _ parameters: [DatabaseValue]) throws(DatabaseError) -> [Row] {
        try count.take()
        return try transaction.unlockedRows(sql, parameters)
    }
}
