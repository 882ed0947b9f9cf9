// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc

/// Notices that somebody asked the process to read its files again.
final class HangupSignal {
    private let rings: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation
    private let source: any DispatchSourceSignal

    init() {
        let (rings, continuation) = AsyncStream.makeStream(
            of: Void.self, bufferingPolicy: .bufferingNewest(1))
        self.rings = rings
        self.continuation = continuation
        // The default would end the process.
        signal(SIGHUP, SIG_IGN)
        source = DispatchSource.makeSignalSource(signal: SIGHUP, queue: .global())
        source.setEventHandler { continuation.yield() }
        source.resume()
    }

    /// Runs the body for each signal; those that come while it runs are one.
    func onEach(_ body: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
        Task { [rings] in
            for await _ in rings { await body() }
        }
    }

    /// Ends it; a body that runs goes on to its end.
    func end() {
        source.cancel()
        continuation.finish()
    }
}
