// SPDX-License-Identifier: Apache-2.0

internal import CounterfoilCore
internal import Dispatch

/// Does something again and again until it is stopped, on a thread of its own.
///
/// A timer of Dispatch would do, but one was seen to stand still while nothing else in the process set
/// a timer, and with it every deadline of every connection.
final class Sweeper: Sendable {
    private let end: DispatchSemaphore
    private let thread: SystemThread

    init(
        every interval: Duration, _ sweep: @escaping @Sendable () -> Void
    ) throws(SystemThread.Refusal) {
        let end = DispatchSemaphore(value: 0)
        let pause = DispatchTimeInterval.milliseconds(Int(interval.wholeMilliseconds))
        self.end = end
        thread = try SystemThread.start {
            while end.wait(timeout: .now() + pause) == .timedOut { sweep() }
        }
    }

    /// Returns when the last sweep is over.
    func stop() async {
        end.signal()
        await thread.finished()
    }
}
