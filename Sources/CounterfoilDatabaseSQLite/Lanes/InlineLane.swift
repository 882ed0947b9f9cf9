// SPDX-License-Identifier: Apache-2.0
import CounterfoilDatabase
import Synchronization

/// Runs each call where it is made, so that whoever orders the calls orders everything.
final class InlineLane: Lane {
    private let runner: ConfinedRunner
    private let isClosed = Mutex(false)

    init(runner: ConfinedRunner) {
        self.runner = runner
    }

    func submit(_ call: PendingCall) {
        if isClosed.withLock({ $0 }) {
            call.fail(DatabaseError.databaseClosed)
        } else {
            runner.run([call])
        }
    }

    func close() async {
        isClosed.withLock { $0 = true }
        runner.close()
    }
}
