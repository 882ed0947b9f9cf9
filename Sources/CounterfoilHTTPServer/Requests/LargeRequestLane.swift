// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Lets only so many handlers of large requests run at a time; the others wait in their order.
///
/// Reading megabytes of evidence takes a core for a tenth of a second. In a lane, large requests wait
/// for each other, and small ones find a free core.
final class LargeRequestLane: Sendable {
    private struct Content {
        var runningCount = 0
        var waiting: [@Sendable () -> Void] = []
    }

    private let width: Int
    private let content = Mutex(Content())

    init(width: Int) {
        self.width = max(1, width)
    }

    /// Calls `start` now or when others left; what it starts must call ``leave()`` once at its end.
    func enter(_ start: @escaping @Sendable () -> Void) {
        let mayStart = content.withLock { content in
            guard content.runningCount < width else {
                content.waiting.append(start)
                return false
            }
            content.runningCount += 1
            return true
        }
        if mayStart { start() }
    }

    /// Gives the place to the one that has waited longest.
    func leave() {
        let start = content.withLock { content -> (@Sendable () -> Void)? in
            if !content.waiting.isEmpty { return content.waiting.removeFirst() }
            content.runningCount -= 1
            return nil
        }
        start?()
    }
}
