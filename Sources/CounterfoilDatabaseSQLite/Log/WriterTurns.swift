// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Lets the writer and the keeper of the log have the file in turn, in the order in which they ask.
///
/// A plain lock would let a busy writer take it again and again.
///
/// `@unchecked Sendable`: `next` and `served` are touched only with `mutex` held.
final class WriterTurns: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let change = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var next: UInt64 = 0
    private var served: UInt64 = 0

    init() {
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(change, nil)
    }

    deinit {
        pthread_cond_destroy(change)
        pthread_mutex_destroy(mutex)
        change.deallocate()
        mutex.deallocate()
    }

    func take<Value, Failure: Error>(
        _ body: () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        pthread_mutex_lock(mutex)
        let ticket = next
        next += 1
        while served != ticket { pthread_cond_wait(change, mutex) }
        pthread_mutex_unlock(mutex)
        defer {
            pthread_mutex_lock(mutex)
            served += 1
            pthread_cond_broadcast(change)
            pthread_mutex_unlock(mutex)
        }
        return try body()
    }
}
