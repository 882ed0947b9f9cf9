// SPDX-License-Identifier: Apache-2.0
import CFaultyFiles
import Synchronization

/// A disk in memory for SQLite databases, which loses power, fills up and fails on demand.
///
/// What was written but not synced is kept, lost or torn at a crash, as the seed decides. Pass
/// `fileSystem` to `SQLiteOptions`; any path names a file on the disk. Databases on it should be closed before
/// the disk goes.
///
/// `@unchecked Sendable`: every call into the C side takes the disk's mutex, and `disk` is constant.
package final class FaultyDisk: @unchecked Sendable {
    /// Operations that can fail.
    package struct Operations: OptionSet, Sendable {
        package let rawValue: Int32

        package init(rawValue: Int32) {
            self.rawValue = rawValue
        }

        package static let open = Operations(rawValue: Int32(COUNTERFOIL_OPEN))
        package static let read = Operations(rawValue: Int32(COUNTERFOIL_READ))
        package static let write = Operations(rawValue: Int32(COUNTERFOIL_WRITE))
        package static let sync = Operations(rawValue: Int32(COUNTERFOIL_SYNC))
        package static let truncate = Operations(rawValue: Int32(COUNTERFOIL_TRUNCATE))
        package static let delete = Operations(rawValue: Int32(COUNTERFOIL_DELETE))

        /// Mapping memory that connections share.
        package static let share = Operations(rawValue: Int32(COUNTERFOIL_SHARE))

        /// Everything but reading.
        package static let changes: Operations = [.open, .write, .sync, .truncate, .delete, .share]
    }

    /// How an operation fails.
    package enum Fault: Sendable, CaseIterable {
        /// The operation alone fails; a write may have written its beginning, a sync has lost writes.
        case inputOutputError

        /// As an input or output error, but writes say that the disk is full.
        case diskFull

        /// Every open file dies; what was written can still be read.
        case processDies

        /// Every open file dies; what was not synced is kept, lost or torn.
        case powerFails

        var code: Int32 {
            switch self {
            case .inputOutputError: Int32(COUNTERFOIL_IO_ERROR)
            case .diskFull: Int32(COUNTERFOIL_DISK_FULL)
            case .processDies: Int32(COUNTERFOIL_PROCESS_DIES)
            case .powerFails: Int32(COUNTERFOIL_POWER_FAILS)
            }
        }

        /// Whether everybody who had a file open must start again.
        package var isCrash: Bool { self == .processDies || self == .powerFails }
    }

    private static let made = Atomic<Int>(0)

    /// The name by which SQLite knows the disk.
    package let fileSystem: String

    private let disk: OpaquePointer

    /// An empty disk, or one with the files of another, and what is not synced of them.
    package init(seed: UInt64, copying other: FaultyDisk? = nil) {
        fileSystem = "faulty-\(Self.made.add(1, ordering: .relaxed).newValue)"
        guard let disk = counterfoil_disk_make(fileSystem, seed, other?.disk) else {
            preconditionFailure("there is no memory for a disk")
        }
        self.disk = disk
    }

    deinit {
        counterfoil_disk_release(disk)
    }

    /// Plans a fault for the n-th operation of the set from now, and for all later ones if it stays.
    /// It takes the place of an earlier plan.
    package func fail(
        at n: Int, of operations: Operations = .changes, with fault: Fault,
        andStays stays: Bool = false
    ) {
        counterfoil_disk_plan(disk, fault.code, UInt64(n), operations.rawValue, stays ? 1 : 0)
    }

    /// Takes the plan back.
    package func heal() {
        counterfoil_disk_plan(disk, 0, 0, 0, 0)
    }

    /// Lets the plan wait while the test looks at the files: nothing is counted and nothing fails.
    package func pause() {
        counterfoil_disk_pause(disk, 1)
    }

    /// Goes on with the plan after a pause.
    package func resume() {
        counterfoil_disk_pause(disk, 0)
    }

    /// Crashes now: `processDies` or `powerFails`.
    package func crash(_ fault: Fault = .powerFails) {
        precondition(fault.isCrash, "\(fault) is no crash")
        counterfoil_disk_crash(disk, fault.code)
    }

    /// Whether the planned fault has happened.
    package var hasStruck: Bool { counterfoil_disk_strikes(disk) > 0 }

    /// How many operations of the set were tried since the disk was made.
    package func count(of operations: Operations) -> Int {
        Int(counterfoil_disk_count(disk, operations.rawValue))
    }

    /// How many bytes were written since the disk was made.
    package var writtenByteCount: Int { Int(counterfoil_disk_written(disk)) }

    /// The bytes of a file, or those that a power failure cannot take; nil where it does not exist.
    package func size(of file: String, durably: Bool = false) -> Int? {
        let size = counterfoil_disk_size(disk, file, durably ? 1 : 0)
        return size < 0 ? nil : Int(size)
    }
}
