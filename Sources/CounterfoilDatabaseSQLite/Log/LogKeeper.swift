// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilDatabase
import Synchronization

/// Keeps the log short without keeping anybody waiting.
final class LogKeeper: Sendable {
    private let checkpointer: Mutex<Checkpointer>

    /// Lengths of the log to act on; nil where the work is done in the call itself.
    private let requests: BlockingQueue<Int32>?
    private let thread = Mutex<SystemThread?>(nil)

    init(
        _ checkpointer: sending Checkpointer, hasThread: Bool
    ) throws(DatabaseError) {
        self.checkpointer = Mutex(checkpointer)
        // One more request may wait while the thread works: it will see the log as it is then.
        requests = hasThread ? BlockingQueue(limit: 1) : nil
        guard let requests else { return }
        do throws(SystemThread.Refusal) {
            let started = try SystemThread.start { [self] in
                while let pages = requests.take(upTo: 1).first { shorten(logOf: pages) }
            }
            thread.withLock { $0 = started }
        } catch {
            throw DatabaseError(
                .unavailable, "no thread could be started", details: error.details)
        }
    }

    /// Asks for the log to be shortened; with a thread this does not wait.
    func request(logOf pages: Int32) {
        if let requests {
            _ = requests.offer(pages)
        } else {
            shorten(logOf: pages)
        }
    }

    /// Lets go of the file; the writer must be closed.
    func close() async {
        requests?.close()
        await thread.withLock { $0 }?.finished()
        checkpointer.withLock { $0.close() }
    }

    /// Ends the thread of a database that is dropped without being closed.
    func abandon() {
        requests?.close()
    }

    private func shorten(logOf pages: Int32) {
        checkpointer.withLock { $0.shorten(logOf: pages) }
    }
}
