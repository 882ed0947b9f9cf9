// SPDX-License-Identifier: Apache-2.0
import Glibc

/// A bounded queue between tasks, which never wait, and threads that block for work.
///
/// `@unchecked Sendable`: `items`, `isClosed` and `sleepers` are touched only with `mutex` held.
package final class BlockingQueue<Element: Sendable>: @unchecked Sendable {
    /// What became of an offered element.
    package enum Offer: Sendable {
        case accepted, full, closed
    }

    private let limit: Int
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let arrival = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var items: [Element] = []
    private var isClosed = false
    private var sleepers = 0

    package init(limit: Int) {
        self.limit = limit
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(arrival, nil)
    }

    deinit {
        pthread_cond_destroy(arrival)
        pthread_mutex_destroy(mutex)
        arrival.deallocate()
        mutex.deallocate()
    }

    /// Adds the element at the end, unless the queue is full or closed.
    package func offer(_ element: Element) -> Offer {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        if isClosed { return .closed }
        if items.count >= limit { return .full }
        items.append(element)
        // A thread that is not asleep looks again before it sleeps: most calls need no system call.
        if sleepers > 0 { pthread_cond_signal(arrival) }
        return .accepted
    }

    /// Blocks until there is something and takes up to `maximum` elements in their order; empty
    /// only when the queue is closed and nothing is left.
    package func take(upTo maximum: Int) -> [Element] {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while items.isEmpty && !isClosed {
            sleepers += 1
            pthread_cond_wait(arrival, mutex)
            sleepers -= 1
        }
        let taken = Array(items.prefix(maximum))
        items.removeFirst(taken.count)
        return taken
    }

    /// Refuses further elements; what was accepted can still be taken.
    package func close() {
        pthread_mutex_lock(mutex)
        isClosed = true
        pthread_cond_broadcast(arrival)
        pthread_mutex_unlock(mutex)
    }
}
