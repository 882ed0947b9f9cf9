// SPDX-License-Identifier: Apache-2.0
import Glibc
import Synchronization

/// A thread of the operating system's for work that blocks on the disk or a socket, so that the
/// cooperative pool never does.
package final class SystemThread: Sendable {
    /// The system gave no thread.
    package struct Refusal: Error {
        /// The system's reason in words.
        package let details: String
    }

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
    package static func start(
        _ body: @escaping @Sendable () -> Void
    ) throws(Refusal) -> SystemThread {
        let thread = SystemThread(body: body)
        let context = Unmanaged.passRetained(thread)
        var identity = pthread_t()
        let status = pthread_create(
            &identity, nil,
            { pointer in
                guard let pointer else { return nil }
                Unmanaged<SystemThread>.fromOpaque(pointer).takeRetainedValue().run()
                return nil
            }, context.toOpaque())
        guard status == 0 else {
            context.release()
            throw Refusal(details: String(cString: strerror(status)))
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
