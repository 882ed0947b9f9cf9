// SPDX-License-Identifier: Apache-2.0

internal import CounterfoilCore
internal import Dispatch
internal import Synchronization

/// How many requests are running, and who waits for the last of them.
final class ExchangeCount: Sendable {
    private struct Content {
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let count = Atomic(0)
    private let content = Mutex(Content())

    func increment() {
        count.add(1, ordering: .acquiringAndReleasing)
    }

    func decrement() {
        let left = count.subtract(1, ordering: .acquiringAndReleasing).newValue
        if left == 0 { release() }
    }

    /// Waits until no request is running, at most that long. One waiter at a time.
    func becomeZero(within timeout: Duration) async {
        let milliseconds = Int(clamping: timeout.wholeMilliseconds)
        await withCheckedContinuation { continuation in
            content.withLock { $0.waiter = continuation }
            if count.load(ordering: .acquiring) == 0 { return release() }
            DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(milliseconds)) {
                self.release()
            }
        }
    }

    private func release() {
        content.withLock { content in
            defer { content.waiter = nil }
            return content.waiter
        }?.resume()
    }
}
