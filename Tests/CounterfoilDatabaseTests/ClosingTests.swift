// SPDX-License-Identifier: Apache-2.0
import CounterfoilDatabase
import CounterfoilTestSupport
import Testing

@Suite struct ClosingKeepsWhatWasAccepted {
    @Test("A closed database refuses calls and may be closed again", arguments: Engine.allCases)
    func closed(engine: Engine) async throws {
        let folder = TemporaryFolder()
        let database = try await engine.open(in: folder)
        try await database.prepare()
        await database.close()
        await database.close()
        await expectFailure(.closed) { try await database.addCounter("a", 0, place: 0) }
        await expectFailure(.closed) { _ = try await database.counterNames() }
    }

    @Test(
        "Each write in flight while closing is either stored or refused", arguments: Engine.allCases
    )
    func inFlight(engine: Engine) async throws {
        let folder = TemporaryFolder()
        let database = try await engine.open(in: folder)
        try await database.prepare()
        let stored = try await withThrowingTaskGroup(of: String?.self) { group in
            for writer in 0..<100 {
                group.addTask {
                    do {
                        try await database.addCounter("w\(writer)", 0, place: writer)
                        return "w\(writer)"
                    } catch let error as DatabaseError {
                        #expect(error.code == .closed)
                        return nil
                    }
                }
                if writer == 50 {
                    group.addTask {
                        await database.close(); return nil
                    }
                }
            }
            return try await group.reduce(into: [String]()) { names, name in
                if let name { names.append(name) }
            }
        }
        let again = try await engine.open(in: folder)
        #expect(try await again.counterNames() == stored.sorted())
        await again.close()
    }
}
