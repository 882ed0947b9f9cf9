// SPDX-License-Identifier: Apache-2.0
import CounterfoilDatabase
import CounterfoilDatabaseSQLite
import CounterfoilTestSupport
import Testing

@Suite struct AFileHasOneServer {
    private let folder = TemporaryFolder()

    private func open(isServer: Bool) throws -> SQLiteDatabase {
        try SQLiteDatabase(
            path: folder.file("books.db"),
            options: SQLiteOptions(scheduling: .inline, isServer: isServer))
    }

    @Test("A second server is refused and told where several can share, until the first is gone")
    func second() async throws {
        let first = try open(isServer: true)
        await expectFailure(.busy) { _ = try open(isServer: true) }
        await first.close()
        let second = try open(isServer: true)
        await second.close()
    }

    @Test("A command may use the file beside the server")
    func command() async throws {
        let server = try open(isServer: true)
        try await server.prepare()
        let command = try open(isServer: false)
        try await command.addCounter("a", 0, place: 0)
        await command.close()
        #expect(try await server.counterNames() == ["a"])
        await expectFailure(.busy) { _ = try open(isServer: true) }
        await server.close()
    }
}
