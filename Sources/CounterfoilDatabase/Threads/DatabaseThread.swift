// SPDX-License-Identifier: Apache-2.0
import Glibc
import Synchronization

/// A thread of the operating system's for work that blocks on the disk or a socket, so that the
/// cooperative pool never does.
package final class DatabaseThread: Sendable {
    private struct State {
        var isFinished = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())
    private let body: @Sendable () -> Void

    private init(body: @escaping @Sendable () -> Void) {
        self.body = body
    }

    /// Starts a thread that runs the body and ends.
    ///
    /// - Throws: ``DatabaseError`` with `unavailable` when the system gives no more threads.
    package static func start(
        _ body: @escaping @Sendable () -> Void
    ) throws(DatabaseError) -> DatabaseThread {
        let thread = DatabaseThread(body: body)
        let context = Unmanaged.passRetained(thread)
        var identity = pthread_t()
        let status = pthread_create(
            &identity, nil,
            { pointer in
                guard let pointer else { return nil }
                Unmanaged<DatabaseThread>.fromOpaque(pointer).takeRetainedValue().run()
                return nil
            }, context.toOpaque())
        guard status == 0 else {
            context.release()
            throw DatabaseError(
                .unavailable, "no thread could be started",
                details: String(cString: strerror(status)))
        }
        pthread_detach(identity)
        return thread
    }

    private func run() {
        body()
        let waiting = state.withLock { state in
            state.isFinished = true
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Returns when the body has ended.
    package func finished() async {
        await withCheckedContinuation { continuation in
            let isFinished = state.withLock { state in
                if !state.isFinished { state.waiting.append(continuation) }
                return state.isFinished
            }
            if isFinished { continuation.resume() }
        }
    }
}
