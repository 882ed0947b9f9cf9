// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilDatabase
import CounterfoilStore
import CounterfoilTestSupport

/// The table of jobs alone, with a clock for the database and a job to put there.
final class JobBoard: Sendable {
    static let lease = Duration.seconds(15)

    /// The database's clock; jobs and leases go by it.
    let clock: ManualClock
    let database: any Database
    private let folder: TemporaryFolder

    /// - Parameter other: Whose table to use, over connections of its own.
    init(on engine: DatabaseEngine = .current, beside other: JobBoard? = nil) async throws {
        clock = other?.clock ?? ManualClock()
        folder = other?.folder ?? TemporaryFolder()
        database = try await engine.open(in: folder, clock: clock)
        try await database.migrate(Schema.migrations, at: clock.now)
    }

    func job(_ key: String = "j", payload: String = "p") -> JobRecord {
        JobRecord(
            key: key, kind: "test", app: Shop.app, payload: payload, tries: 0,
            createdAt: clock.now)
    }

    func enqueue(_ job: JobRecord, after pause: Duration = .zero) async throws {
        try await database.write { try $0.enqueue(job, after: pause) }
    }

    func claim() async throws -> JobClaim? {
        try await database.write { transaction in
            try transaction.claimJob(for: Self.lease) { .seconds(1 << $0) }
        }
    }

    func apply(
        _ act: @escaping @Sendable (any WriteTransaction) throws -> Bool
    ) async throws -> Bool {
        try await database.write { try act($0) }
    }

    /// All that the table holds.
    func rows() async throws -> [[DatabaseValue]] {
        try await database.read { transaction in
            try transaction.rows("SELECT * FROM jobs ORDER BY job_key").map(\.values)
        }
    }
}
