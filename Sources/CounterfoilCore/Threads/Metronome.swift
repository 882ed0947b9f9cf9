// SPDX-License-Identifier: Apache-2.0
import Dispatch

/// Does something again and again until it is stopped or forgotten, on a thread of its own.
///
/// A timer of Dispatch would do, but one was seen to stand still while nothing else in the process set
/// a timer, and with it every deadline of every connection.
package final class Metronome: Sendable {
    private let end: DispatchSemaphore
    private let thread: SystemThread

    /// - Parameter beat: Comes first after one interval, and never twice at a time.
    package init(
        every interval: Duration, _ beat: @escaping @Sendable () -> Void
    ) throws(SystemThread.Refusal) {
        let end = DispatchSemaphore(value: 0)
        let pause = DispatchTimeInterval.milliseconds(Int(interval.wholeMilliseconds))
        self.end = end
        thread = try SystemThread.start {
            while end.wait(timeout: .now() + pause) == .timedOut { beat() }
        }
    }

    deinit { end.signal() }

    /// Returns when the last beat is over.
    package func stop() async {
        end.signal()
        await thread.finished()
    }
}
