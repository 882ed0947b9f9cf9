// SPDX-License-Identifier: Apache-2.0
import CounterfoilTestSupport
import Testing

/// A PostgreSQL whose tables lie on a disk of their own, which is filled.
@Suite(
    .serialized,
    .enabled(if: PostgresCluster.canBeMade && SmallDisk.canBeMade, "only root may mount a disk"))
struct AFullDiskTakesNothing {
    @Test("What does not fit is refused with 503, and comes again when there is space")
    func full() async throws {
        let cluster = try PostgresCluster(onDiskOf: 64)
        try cluster.start()
        let server = try await ServerUnderTest(database: cluster.member)
        try server.start()
        let log = try ClientLog(path: server.folder.file("client.log"))
        try cluster.query("CREATE TABLE filler (words text)")
        // The last page goes to one row.
        for rows in [1000, 1] { try fill(cluster, by: rows) }

        var refused: Purchase?
        var number = 0
        while refused == nil, number < Self.most {
            number += 1
            let purchase = server.purchase(number)
            if try !handIn(purchase, to: server, log) { refused = purchase }
        }
        let purchase = try #require(refused, "\(number) purchases fit on a full disk")

        // What was answered is there although the server is killed; the rest fits later.
        try cluster.restart(.immediate)
        try cluster.query("DROP TABLE filler")
        #expect(try handIn(purchase, to: server, log))
        #expect(server.stop() == 0)
        #expect(server.output.contains("no space left"), "\(server.output)")
        let books = try await cluster.books(of: server)
        let (isBalanced, output) = try Installation.checkBooks(books, log: log.path)
        #expect(isBalanced, "\(output)")
        #expect(
            output.contains("purchases acknowledged as delivered: \(number)"), "\(output)")
    }

    /// Pages that were begun still take some.
    private static let most = 1000

    private func fill(_ cluster: PostgresCluster, by rows: Int) throws {
        let insertion =
            "INSERT INTO filler SELECT repeat(md5(n::text), 60) FROM generate_series(1, \(rows)) n"
        while true {
            let (isDone, output) = try cluster.query(insertion)
            if isDone { continue }
            #expect(output.contains("No space left on device"), "\(output)")
            return
        }
    }

    /// Hands a purchase in and notes the answer; false if it was asked to come again.
    private func handIn(
        _ purchase: Purchase, to server: ServerUnderTest, _ log: ClientLog
    ) throws -> Bool {
        try log.sent(purchase)
        let answer = try server.submit(purchase)
        if answer.status == 503 {
            #expect(answer.headers["retry-after"].flatMap { Int($0) } ?? 0 > 0)
            return false
        }
        _ = try log.acknowledged(purchase, by: answer)
        return true
    }
}
