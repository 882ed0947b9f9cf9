// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc
import Synchronization

/// Notices that somebody asked the process to stop, from its making on.
final class StopSignal {
    private let stream: AsyncStream<Void>
    private let sources: [any DispatchSourceSignal]

    /// Tells whether a stop was asked for, to whoever does not wait for it.
    final class Flag: Sendable {
        private let value = Atomic(false)

        var isRaised: Bool { value.load(ordering: .relaxed) }

        fileprivate func raise() { value.store(true, ordering: .relaxed) }
    }

    let flag: Flag

    init() {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        self.stream = stream
        let flag = Flag()
        self.flag = flag
        sources = [SIGTERM, SIGINT].map { number in
            // The default would end the process before anybody is told.
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                flag.raise()
                continuation.yield()
            }
            source.resume()
            return source
        }
    }

    /// Returns once a stop was asked for.
    func wait() async {
        for await _ in stream { return }
    }
}
