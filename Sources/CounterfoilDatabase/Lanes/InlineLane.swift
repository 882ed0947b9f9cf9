// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// Runs each call where it is made, so that whoever orders the calls orders everything.
package final class InlineLane: Lane {
    private let runner: ConfinedRunner
    private let isClosed = Mutex(false)

    package init(runner: ConfinedRunner) {
        self.runner = runner
    }

    package func submit(_ call: PendingCall) {
        if isClosed.withLock({ $0 }) {
            call.fail(DatabaseError.databaseClosed)
        } else {
            runner.run([call])
        }
    }

    package func close() async {
        isClosed.withLock { $0 = true }
        runner.close()
    }
}
