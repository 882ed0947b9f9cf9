// SPDX-License-Identifier: Apache-2.0

/// A process of the simulation: the executor of all its tasks, and what a crash takes away.
///
/// `@unchecked Sendable`: used on the scheduler's thread alone, as ``Scheduler`` proves.
final class SimulatedProcess: TaskExecutor, @unchecked Sendable {
    private let scheduler: Scheduler
    private(set) var isAlive = true

    init(_ scheduler: Scheduler) {
        self.scheduler = scheduler
    }

    func enqueue(_ job: consuming ExecutorJob) {
        scheduler.add(UnownedJob(job), of: self)
    }

    /// Starts a task that runs here and nowhere else.
    func run(_ body: @escaping @Sendable () async -> Void) {
        Task(executorPreference: self) { await body() }
    }

    func pause() async {
        await scheduler.pause(in: self)
    }

    /// Ends the process where it stands: none of its tasks ever runs again.
    func crash() {
        isAlive = false
    }

    /// The point that a task of a dead process never leaves.
    func endOfLife() async {
        await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
    }
}
