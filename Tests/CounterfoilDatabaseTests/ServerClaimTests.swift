// SPDX-License-Identifier: Apache-2.0
import CounterfoilDatabase
import CounterfoilDatabaseSQLite
import CounterfoilTestSupport
import Foundation
import Glibc
import Synchronization
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

    /// A file that is closed twice takes the one that was opened in between with it.
    @Test("A refusal leaves the files that others open meanwhile alone")
    func othersFiles() async throws {
        let first = try open(isServer: true)
        let watch = Watch()
        // A thread of its own: the tasks of a machine with one core run one behind the other.
        Thread.detachNewThread { watch.openFiles() }
        for _ in 0..<2_000 { await expectFailure(.busy) { _ = try open(isServer: true) } }
        watch.isOver.store(true, ordering: .relaxed)
        #expect(watch.lostCount.load(ordering: .relaxed) == 0)
        await first.close()
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

/// Opens files and looks whether they stay open.
private final class Watch: Sendable {
    let isOver = Atomic(false)
    let lostCount = Atomic(0)

    func openFiles() {
        while !isOver.load(ordering: .relaxed) {
            let descriptor = Glibc.open("/dev/null", O_RDONLY | O_CLOEXEC)
            for _ in 0..<20 where fcntl(descriptor, F_GETFD) < 0 {
                lostCount.add(1, ordering: .relaxed)
            }
            close(descriptor)
        }
    }
}
