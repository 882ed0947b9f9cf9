// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import Synchronization

/// A queue, and threads that each run its calls on a connection of their own.
package final class ThreadLane: Lane {
    private let queue: BlockingQueue<PendingCall>
    private let threads: [SystemThread]

    /// - Parameters:
    ///   - runners: One for each thread.
    ///   - waiting: The most calls that wait.
    ///   - together: The most calls a thread takes at once.
    package init(
        runners: [ConfinedRunner], waiting: Int, together: Int
    ) throws(DatabaseError) {
        let queue = BlockingQueue<PendingCall>(limit: waiting)
        self.queue = queue
        var threads: [SystemThread] = []
        do throws(SystemThread.Refusal) {
            for runner in runners {
                threads.append(
                    try .start {
                        while true {
                            let calls = queue.take(upTo: together)
                            if calls.isEmpty { break }
                            runner.run(calls)
                        }
                        runner.close()
                    })
            }
        } catch {
            queue.close()
            throw DatabaseError(
                .unavailable, "no thread could be started", details: error.details)
        }
        self.threads = threads
    }

    deinit {
        queue.close()
    }

    package func submit(_ call: PendingCall) {
        switch queue.offer(call) {
        case .accepted: break
        case .full: call.fail(DatabaseError(.busy, "too many calls wait for the database"))
        case .closed: call.fail(DatabaseError.databaseClosed)
        }
    }

    package func close() async {
        queue.close()
        for thread in threads { await thread.finished() }
    }
}

/// A runner that may be handed from thread to thread.
package final class ConfinedRunner: Sendable {
    private let runner: Mutex<any CallRunner>

    package init(_ runner: sending any CallRunner) {
        self.runner = Mutex(runner)
    }

    package func run(_ calls: [PendingCall]) {
        runner.withLock { $0.run(calls) }
    }

    package func close() {
        runner.withLock { $0.close() }
    }
}

extension DatabaseError {
    package static var databaseClosed: DatabaseError {
        DatabaseError(.closed, "the database is closed")
    }
}
