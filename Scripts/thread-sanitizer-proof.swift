// SPDX-License-Identifier: Apache-2.0
//
// What thread-sanitizer.supp rests on: without a race, the sanitizer reports one for a Mutex and none
// for a lock of the C library. Scripts/sanitize runs both.
import Dispatch
import Glibc
import Synchronization

/// Counts to 80,000 in two threads that take turns: by a Mutex, or by a lock of the C library.
enum Turns {
    /// `@unchecked Sendable`: `counts` is touched only with `mutex` held.
    final class Locked: @unchecked Sendable {
        private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
        var counts = [0]

        init() { pthread_mutex_init(mutex, nil) }

        func increment() {
            pthread_mutex_lock(mutex)
            counts[0] += 1
            pthread_mutex_unlock(mutex)
        }
    }

    static func byMutex() -> Int {
        let counts = Mutex([0])
        DispatchQueue.concurrentPerform(iterations: 2) { _ in
            for _ in 0..<40_000 { counts.withLock { $0[0] += 1 } }
        }
        return counts.withLock { $0[0] }
    }

    static func byLock() -> Int {
        let locked = Locked()
        DispatchQueue.concurrentPerform(iterations: 2) { _ in
            for _ in 0..<40_000 { locked.increment() }
        }
        return locked.counts[0]
    }
}

let count = CommandLine.arguments.contains("lock") ? Turns.byLock() : Turns.byMutex()
exit(count == 80_000 ? 0 : 3)
