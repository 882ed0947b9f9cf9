// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Synchronization

/// Waits for what only a task can do; for the main thread, on which no task runs.
func waiting<Value: Sendable>(
    for body: @escaping @Sendable () async throws -> Value
) throws -> Value {
    let result = Mutex<Swift.Result<Value, any Error>?>(nil)
    let done = DispatchSemaphore(value: 0)
    let finish = { @Sendable (value: Swift.Result<Value, any Error>) in
        result.withLock { $0 = value }
        done.signal()
    }
    Task {
        do {
            finish(.success(try await body()))
        } catch {
            finish(.failure(error))
        }
    }
    done.wait()
    guard let value = result.withLock({ $0 }) else { throw Unexpected() }
    return try value.get()
}
