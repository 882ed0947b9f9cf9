// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import Synchronization
import Testing

struct AMetronomeBeats {
    @Test("It beats until it is stopped, and not after")
    func stopped() async throws {
        let count = Mutex(0)
        let (beats, heard) = AsyncStream.makeStream(of: Void.self)
        let metronome = try Metronome(every: .milliseconds(1)) {
            count.withLock { $0 += 1 }
            heard.yield()
        }
        var iterator = beats.makeAsyncIterator()
        for _ in 0..<3 { await iterator.next() }
        await metronome.stop()
        heard.finish()
        var left = 3
        while await iterator.next() != nil { left += 1 }
        #expect(count.withLock { $0 } == left)
        // A second time it is over already.
        await metronome.stop()
    }
}
