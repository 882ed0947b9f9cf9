// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Glibc
import Synchronization

/// Work that can be repeated, and what a repetition costs.
struct Work: Sendable {
    let name: String

    /// Does the work so often, on the calling thread; the number says which thread it is.
    let repeated: @Sendable (_ count: Int, _ thread: Int) throws -> Void
}

/// Work that did not come to the result that it must.
struct Unexpected: Error {}

/// What one slice of time brought.
struct Sample {
    /// Repetitions a second of wall time, all threads together.
    let rate: Double

    /// Processor microseconds for one repetition.
    let processorMicroseconds: Double
}

enum Measurement {
    /// Repeats work until about a slice of time has passed, to learn how often fits into it.
    static func calibrated(_ work: Work, sliceMilliseconds: Int) throws -> Int {
        var count = 1
        while true {
            let start = Clock.seconds(CLOCK_MONOTONIC)
            try work.repeated(count, 0)
            let elapsed = Clock.seconds(CLOCK_MONOTONIC) - start
            let wanted = Double(sliceMilliseconds) / 1_000
            if elapsed > wanted / 4 {
                return max(1, Int(Double(count) * wanted / elapsed))
            }
            count *= 2
        }
    }

    /// Does the work `count` times on each of the threads.
    static func sample(_ work: Work, count: Int, threads: Int) throws -> Sample {
        let processor = Mutex(0.0)
        let failure = Mutex<(any Error)?>(nil)
        let start = Clock.seconds(CLOCK_MONOTONIC)
        DispatchQueue.concurrentPerform(iterations: threads) { thread in
            let begin = Clock.seconds(CLOCK_THREAD_CPUTIME_ID)
            do {
                try work.repeated(count, thread)
            } catch {
                failure.withLock { $0 = error }
            }
            let used = Clock.seconds(CLOCK_THREAD_CPUTIME_ID) - begin
            processor.withLock { $0 += used }
        }
        let elapsed = Clock.seconds(CLOCK_MONOTONIC) - start
        if let error = failure.withLock({ $0 }) { throw error }
        let total = Double(count * threads)
        return Sample(
            rate: total / elapsed,
            processorMicroseconds: processor.withLock { $0 } / total * 1_000_000)
    }
}

extension [Double] {
    /// The middle value; 0 for none.
    var median: Double {
        guard !isEmpty else { return 0 }
        let ordered = sorted()
        let middle = ordered.count / 2
        return ordered.count.isMultiple(of: 2)
            ? (ordered[middle - 1] + ordered[middle]) / 2 : ordered[middle]
    }

    /// The milliseconds within which so many of a thousand of these seconds lie; 0 for none.
    func milliseconds(ofThousand share: Int) -> Double {
        let times = sorted()
        guard !times.isEmpty else { return 0 }
        return times[Swift.min(times.count - 1, times.count * share / 1_000)] * 1_000
    }
}
