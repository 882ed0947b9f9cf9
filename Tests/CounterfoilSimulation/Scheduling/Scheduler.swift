// SPDX-License-Identifier: Apache-2.0
package import CounterfoilCore
import CounterfoilTestSupport
import Glibc

/// Orders everything that happens in a simulation: one thread, one seed, one clock.
///
/// `@unchecked Sendable`: whatever touches it does so on the thread that made it, which
/// ``checkThread()`` proves; work that left for another thread would come back through it and stop.
package final class Scheduler: @unchecked Sendable {
    private enum Runnable {
        case job(UnownedJob)
        case pause(UnsafeContinuation<Void, Never>)
    }

    private struct Timer {
        let at: Int64
        let action: () -> Void
    }

    let random: SeededRandom
    private let thread = pthread_self()
    private var runnable: [(work: Runnable, process: SimulatedProcess)] = []
    private var timers: [Timer] = []
    private var milliseconds: Int64

    /// Steps taken so far: each runs one job of one process to its next suspension, or one timer.
    package private(set) var steps = 0

    package init(seed: UInt64, start: Instant) {
        random = SeededRandom(seed: seed)
        milliseconds = start.millisecondsSinceEpoch
    }

    func checkThread() {
        precondition(
            pthread_equal(thread, pthread_self()) != 0,
            "work of the simulation left for another thread")
    }

    // MARK: Time

    /// The simulated moment.
    var now: Int64 { milliseconds }

    /// As a clock of a process sees it: no two looks find the same millisecond, so that an order by
    /// time never depends on bytes that differ from run to run.
    func tick() -> Instant {
        checkThread()
        milliseconds += 1
        return Instant(millisecondsSinceEpoch: milliseconds)
    }

    func advance(by milliseconds: Int64) {
        self.milliseconds += milliseconds
    }

    /// Does the action when the moment has come, or some time after it.
    func after(_ milliseconds: Int64, _ action: @escaping () -> Void) {
        checkThread()
        timers.append(Timer(at: self.milliseconds + milliseconds, action: action))
    }

    /// Forgets what was to happen later.
    func cancelTimers() {
        timers = []
    }

    // MARK: Chance

    func number(below end: Int) -> Int {
        Int(random.next() % UInt64(end))
    }

    func isOne(in count: Int) -> Bool {
        number(below: count) == 0
    }

    func pick<Element>(_ elements: [Element]) -> Element? {
        elements.isEmpty ? nil : elements[number(below: elements.count)]
    }

    // MARK: Steps

    func add(_ job: UnownedJob, of process: SimulatedProcess) {
        checkThread()
        if process.isAlive { runnable.append((.job(job), process)) }
    }

    /// Suspends the calling task until the seed picks it.
    func pause(in process: SimulatedProcess) async {
        checkThread()
        await withUnsafeContinuation { continuation in
            if process.isAlive { runnable.append((.pause(continuation), process)) }
        }
    }

    /// Takes one step.
    ///
    /// - Returns: false if nothing is left that could ever happen.
    func step() -> Bool {
        checkThread()
        runnable.removeAll { !$0.process.isAlive }
        var due = timers.indices.filter { timers[$0].at <= milliseconds }
        if runnable.isEmpty, due.isEmpty {
            guard let next = timers.indices.min(by: { timers[$0].at < timers[$1].at }) else {
                return false
            }
            milliseconds = max(milliseconds, timers[next].at)
            due = [next]
        }
        steps += 1
        let choice = number(below: runnable.count + due.count)
        if choice < runnable.count {
            let (work, process) = runnable.remove(at: choice)
            switch work {
            case .job(let job): job.runSynchronously(on: process.asUnownedTaskExecutor())
            case .pause(let continuation): continuation.resume()
            }
        } else {
            timers.remove(at: due[choice - runnable.count]).action()
        }
        return true
    }

    /// Whether a process has something to do now.
    var isBusy: Bool {
        runnable.contains { $0.process.isAlive }
    }
}

/// The clock of the simulated processes.
struct SimulatedClock: WallClock {
    let scheduler: Scheduler

    var now: Instant { scheduler.tick() }
}
