// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilDatabase
import CounterfoilHTTP
import CounterfoilTestSupport
import Foundation
import Testing

@Suite("A page of the database goes bad")
struct APageGoesBad {
    private let folder = TemporaryFolder()

    private var path: String { folder.file("books.db") }

    private func open() async throws -> any Database {
        try await DatabaseEngine.sqliteInline.open(in: folder)
    }

    /// Puts bytes in the place of a page and returns what was there.
    @discardableResult
    private func replace(page: Int, with bytes: Data) throws -> Data {
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        let start = UInt64((page - 1) * bytes.count)
        try file.seek(toOffset: start)
        let former = try file.read(upToCount: bytes.count) ?? Data()
        try file.seek(toOffset: start)
        try file.write(contentsOf: bytes)
        try file.close()
        return former
    }

    @Test("What needs it gets 503 with Retry-After, the rest its answer, and nothing is half done")
    func damaged() async throws {
        var database = try await open()
        var server = try await GameServer(on: database)
        #expect(try await server.submit(server.purchase()).words == "fulfilled finish")
        let (page, size) = try await database.read { transaction in
            (
                try transaction.row(
                    "SELECT rootpage FROM sqlite_schema WHERE name = 'submissions'")?.integer(0),
                try transaction.row("PRAGMA page_size")?.integer(0)
            )
        }
        await database.close()
        let root = Int(try #require(page))
        let damage = Data(repeating: 0xAA, count: Int(try #require(size)))
        let former = try replace(page: root, with: damage)

        database = try await open()
        server = try await GameServer(on: database)
        let purchase = server.purchase("coins100", "T2")
        let answer = try await server.submit(purchase)
        #expect(answer.status == 503)
        #expect(answer.json["code"]?.string == "server.storage_unavailable")
        #expect(answer.headers["Retry-After"] == "2")
        #expect(server.log.contains { $0.contains("corrupt") }, "\(server.log)")
        let customer = try await server.get("/v1/customers/u1")
        #expect(customer.json["balances"]?.array?.first?["paid"]?.int64 == 100)

        try replace(page: root, with: former)
        #expect(try await server.submit(purchase).words == "fulfilled finish", "without a restart")
        await database.close()
    }
}
