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

        let (purchase, number) = try firstRefused(by: server, log)

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

    @Test("A database that ends since its log's disk is full is waited for, and nothing is lost")
    func fullLog() async throws {
        // Without a checkpoint no file is free for use again, and the next one does not fit.
        let cluster = try PostgresCluster(
            settings: ["max_wal_size=4GB", "checkpoint_timeout=1h"],
            onDiskOf: 32, holding: .log)
        try cluster.start()
        let server = try await ServerUnderTest(database: cluster.member)
        try server.start()
        let log = try ClientLog(path: server.folder.file("client.log"))
        try cluster.fillLogDisk()
        let (purchase, number) = try firstRefused(by: server, log)

        // It comes up again by itself only when there is space.
        #expect(try !handIn(purchase, to: server, log))
        try cluster.emptyLogDisk()
        try cluster.restart(.immediate)
        #expect(try handIn(purchase, to: server, log))
        #expect(server.stop() == 0)
        let books = try await cluster.books(of: server)
        let (isBalanced, output) = try Installation.checkBooks(books, log: log.path)
        #expect(isBalanced, "\(output)")
        #expect(
            output.contains("purchases acknowledged as delivered: \(number)"), "\(output)")
    }

    /// Hands purchases in until one is refused; how many there were with it.
    private func firstRefused(
        by server: ServerUnderTest, _ log: ClientLog
    ) throws -> (purchase: Purchase, number: Int) {
        for number in 1...Self.most {
            let purchase = server.purchase(number)
            if try !handIn(purchase, to: server, log) { return (purchase, number) }
        }
        throw ChildProcess.Failure(description: "\(Self.most) purchases fit on a full disk")
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
