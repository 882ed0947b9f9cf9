// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore

/// Rings when somebody says that there is work, at once, and then once a second for what became due by
/// itself or was left by another server. Several rings before they are heard are one.
final class WorkBell: Sendable {
    private static let interval = Duration.seconds(1)

    let rings: AsyncStream<Void>
    let ring: @Sendable () -> Void
    private let end: @Sendable () -> Void
    private let metronome: Metronome

    init() throws(SystemThread.Refusal) {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Void.self, bufferingPolicy: .bufferingNewest(1))
        rings = stream
        let ring: @Sendable () -> Void = { continuation.yield() }
        self.ring = ring
        end = { continuation.finish() }
        metronome = try Metronome(every: Self.interval, ring)
        ring()
    }

    /// Ends the stream of rings.
    func stop() async {
        end()
        await metronome.stop()
    }
}
