// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilDatabase
import CounterfoilStore
import CounterfoilTestSupport
import Dispatch
import Testing

/// Two servers with connections of their own, so that the database alone stands between them.
@Suite("Jobs of two servers on one database")
struct JobsOfTwoServers {
    @Test(
        "What one holds the other takes when the lease has run out, and then it is not the first's",
        arguments: DatabaseEngine.shared)
    func lease(on engine: DatabaseEngine) async throws {
        let first = try await JobBoard(on: engine)
        let second = try await JobBoard(on: engine, beside: first)
        try await first.enqueue(first.job())
        let slow = try #require(await first.claim())
        // It is due again long before; the lease alone keeps it.
        first.clock.advance(by: JobBoard.lease - .milliseconds(1))
        #expect(try await second.claim() == nil)
        first.clock.advance(by: .milliseconds(1))
        let taken = try #require(await second.claim())
        #expect((slow.fence, taken.fence) == (1, 2))
        let before = try await second.rows()
        #expect(try await first.apply { try $0.finish(slow) } == false)
        #expect(try await first.apply { try $0.advance(slow, for: JobBoard.lease) } == false)
        #expect(try await second.rows() == before)
        #expect(try await second.apply { try $0.finish(taken) })
        #expect(try await first.rows().isEmpty)
    }

    @Test(
        "While one is about to claim a job the other takes the next",
        arguments: DatabaseEngine.shared)
    func held(on engine: DatabaseEngine) async throws {
        let first = try await JobBoard(on: engine)
        let second = try await JobBoard(on: engine, beside: first)
        for key in ["a", "b"] { try await first.enqueue(first.job(key)) }
        let (claimed, tell) = AsyncStream.makeStream(of: Void.self)
        let isOver = DispatchSemaphore(value: 0)
        async let slow = first.database.write { transaction in
            let claim = try transaction.claimJob(for: JobBoard.lease) { _ in .zero }
            tell.yield()
            isOver.wait()
            return claim
        }
        for await _ in claimed.prefix(1) {}
        let quick = await Result.catching { try await second.claim() }
        // The first may run again, after what the second did.
        for _ in 0..<100 { isOver.signal() }
        #expect(try await slow?.job.key == "a")
        #expect(try quick.get()?.job.key == "b")
    }

    @Test("Both together do each job once", arguments: DatabaseEngine.shared)
    func each(on engine: DatabaseEngine) async throws {
        let first = try await JobBoard(on: engine)
        let second = try await JobBoard(on: engine, beside: first)
        for number in 1...40 { try await first.enqueue(first.job("j\(number)")) }
        let done = try await withThrowingTaskGroup(of: [String].self) { group in
            for board in [first, second, first, second] {
                group.addTask {
                    var mine: [String] = []
                    while let claim = try await board.claim() {
                        #expect(try await board.apply { try $0.finish(claim) })
                        mine.append(claim.job.key)
                    }
                    return mine
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(done.count == 40)
        #expect(Set(done).count == 40)
        #expect(try await first.rows().isEmpty)
    }
}

extension Result where Failure == any Error {
    fileprivate static func catching(_ body: () async throws -> Success) async -> Self {
        do {
            return .success(try await body())
        } catch {
            return .failure(error)
        }
    }
}
