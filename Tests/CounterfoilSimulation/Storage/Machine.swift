// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilDatabaseSQLite
import FaultyFiles

/// The machine that holds the database: a disk in memory, which loses what was not synced when the
/// power fails.
///
/// `@unchecked Sendable`: used on the scheduler's thread alone, as ``Scheduler`` proves.
final class Machine: @unchecked Sendable {
    /// The database's file.
    static let books = "books.db"

    private let disk: FaultyDisk

    /// Whether somebody may have changed the books since they were looked at.
    var isChanged = false

    /// Whether it ended; every process on it is dead then.
    private(set) var isDown = false

    /// What was wrong about transactions.
    var complaints: [String] = []

    private var plan: FaultyDisk.Fault?

    init(seed: UInt64) {
        disk = FaultyDisk(seed: seed)
    }

    func options(_ clock: (any WallClock)? = nil) -> SQLiteOptions {
        SQLiteOptions(scheduling: .inline, clock: clock, fileSystem: disk.fileSystem)
    }

    func fail(at operation: Int, with fault: FaultyDisk.Fault) {
        plan = fault
        disk.fail(at: operation, with: fault)
    }

    func endFault() {
        if let plan, plan.isCrash, disk.hasStruck { isDown = true }
        plan = nil
        disk.heal()
    }

    /// Ends it between two operations.
    func losePower() {
        disk.crash()
        isDown = true
    }

    func restart() {
        isDown = false
        isChanged = true
    }
}
