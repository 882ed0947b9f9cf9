// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilDatabase
import CounterfoilStore
import CounterfoilTestSupport
import Testing

@Suite("A claimed job", .onEveryDatabase)
struct ClaimedJob {
    /// What a worker can say about its job.
    enum Act: CaseIterable {
        case advance, finish, postpone, release

        func apply(_ claim: JobClaim, in transaction: any WriteTransaction) throws -> Bool {
            switch self {
            case .advance: try transaction.advance(claim, for: JobBoard.lease)
            case .finish: try transaction.finish(claim)
            case .postpone: try transaction.postpone(claim, for: .seconds(60), error: "late")
            case .release: try transaction.release(claim)
            }
        }
    }

    @Test("It is nobody else's until the lease has run out; then its fencing number grows")
    func lease() async throws {
        let board = try await JobBoard()
        try await board.enqueue(board.job())
        let first = try #require(await board.claim())
        #expect((first.fence, first.job.tries) == (1, 1))
        board.clock.advance(by: JobBoard.lease - .milliseconds(1))
        #expect(try await board.claim() == nil)
        board.clock.advance(by: .milliseconds(1))
        let second = try #require(await board.claim())
        #expect((second.fence, second.job.tries) == (2, 2))
    }

    @Test("A worker that lost it changes nothing", arguments: Act.allCases)
    func lost(act: Act) async throws {
        let board = try await JobBoard()
        try await board.enqueue(board.job())
        let slow = try #require(await board.claim())
        board.clock.advance(by: JobBoard.lease)
        _ = try #require(await board.claim())
        let before = try await board.rows()
        #expect(try await board.apply { try act.apply(slow, in: $0) } == false)
        #expect(try await board.rows() == before)
    }

    @Test(
        "Whoever held it may still act when the lease ran out and nobody came",
        arguments: Act.allCases)
    func unclaimed(act: Act) async throws {
        let board = try await JobBoard()
        try await board.enqueue(board.job())
        let slow = try #require(await board.claim())
        board.clock.advance(by: .seconds(3600))
        #expect(try await board.apply { try act.apply(slow, in: $0) })
    }

    @Test("Advancing extends the lease and keeps where the next worker goes on")
    func advancing() async throws {
        let board = try await JobBoard()
        try await board.enqueue(board.job())
        var claim = try #require(await board.claim())
        board.clock.advance(by: .seconds(10))
        claim.job.payload = "half"
        let reached = claim
        #expect(try await board.apply { try $0.advance(reached, for: JobBoard.lease) })
        board.clock.advance(by: .seconds(10))
        #expect(try await board.claim() == nil)
        board.clock.advance(by: .seconds(5))
        #expect(try await board.claim()?.job.payload == "half")
    }

    @Test("Finished it is gone, and asking again is asking anew")
    func finishing() async throws {
        let board = try await JobBoard()
        try await board.enqueue(board.job())
        let claim = try #require(await board.claim())
        #expect(try await board.apply { try $0.finish(claim) })
        #expect(try await board.rows().isEmpty)
        #expect(try await board.apply { try $0.finish(claim) } == false)
    }

    @Test(
        "Asked for while it runs, it runs once more from the start, whatever the run says",
        arguments: Act.allCases)
    func askedAgain(act: Act) async throws {
        let board = try await JobBoard()
        try await board.enqueue(board.job(payload: "old"))
        var claim = try #require(await board.claim())
        try await board.enqueue(board.job(payload: "new"))
        claim.job.payload = "half"
        let held = claim
        #expect(try await board.apply { try act.apply(held, in: $0) })
        if act == .advance {
            #expect(try await board.apply { try $0.finish(held) })
        }
        let next = try #require(await board.claim())
        #expect(next.job.payload == "new")
        #expect(next.fence == 2)
    }

    @Test("Asked for while it runs, with the same words, it runs once more too")
    func askedTheSame() async throws {
        let board = try await JobBoard()
        try await board.enqueue(board.job())
        let claim = try #require(await board.claim())
        try await board.enqueue(board.job())
        #expect(try await board.apply { try $0.finish(claim) })
        let next = try #require(await board.claim())
        #expect(try await board.apply { try $0.finish(next) })
        #expect(try await board.rows().isEmpty)
    }

    @Test("One that nobody lived through comes back ever less often")
    func deadly() async throws {
        let board = try await JobBoard()
        try await board.enqueue(board.job())
        for tries: Int64 in 1...8 {
            let claim = try #require(await board.claim())
            #expect(claim.job.tries == tries)
            // The worker dies. Other servers look in each second.
            let next = max(.seconds(1 << tries), JobBoard.lease)
            board.clock.advance(by: next - .milliseconds(1))
            #expect(try await board.claim() == nil)
            board.clock.advance(by: .milliseconds(1))
        }
    }

    @Test("One that was given back unbegun has no try on its account")
    func released() async throws {
        let board = try await JobBoard()
        try await board.enqueue(board.job())
        let claim = try #require(await board.claim())
        #expect(try await board.apply { try $0.release(claim) })
        #expect(try await board.claim()?.job.tries == 1)
    }

    @Test("The one whose time came first is first, and none before its time")
    func order() async throws {
        let board = try await JobBoard()
        try await board.enqueue(board.job("b"), after: .seconds(2))
        try await board.enqueue(board.job("a"), after: .seconds(3))
        #expect(try await board.claim() == nil)
        board.clock.advance(by: .seconds(2))
        #expect(try await board.claim()?.job.key == "b")
        #expect(try await board.claim() == nil)
        board.clock.advance(by: .seconds(1))
        #expect(try await board.claim()?.job.key == "a")
    }
}
