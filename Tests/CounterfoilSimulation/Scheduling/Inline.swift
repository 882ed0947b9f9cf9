// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// Runs an asynchronous body to its end in the call itself.
///
/// - Throws: What the body throws.
func runInline<Result: Sendable>(
    _ body: @escaping @Sendable () async throws -> Result
) throws -> Result {
    let executor = InlineExecutor()
    let box = Box<Swift.Result<Result, any Error>>()
    Task(executorPreference: executor) {
        do {
            let value = try await body()
            box.set(.success(value))
        } catch {
            box.set(.failure(error))
        }
    }
    executor.drain()
    guard let result = box.value else { preconditionFailure("the body waits for another thread") }
    return try result.get()
}

private final class Box<Value: Sendable>: Sendable {
    private let content = Mutex<Value?>(nil)

    func set(_ value: Value) {
        content.withLock { $0 = value }
    }

    var value: Value? { content.withLock { $0 } }
}

private final class InlineExecutor: TaskExecutor {
    private let jobs = Mutex<[UnownedJob]>([])

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
    }

    func drain() {
        while let job = jobs.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
            job.runSynchronously(on: asUnownedTaskExecutor())
        }
    }
}
