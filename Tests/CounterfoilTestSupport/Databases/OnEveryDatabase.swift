// SPDX-License-Identifier: Apache-2.0
package import Testing

extension DatabaseEngine {
    /// The engine that the running test is about.
    @TaskLocal package static var current = DatabaseEngine.sqliteInline
}

/// Runs each test of a suite once for each kind of database.
package struct OnEveryDatabase: SuiteTrait, TestTrait, TestScoping {
    package let isRecursive = true

    package func provideScope(
        for test: Test, testCase: Test.Case?,
        performing function: @Sendable () async throws -> Void
    ) async throws {
        for engine in DatabaseEngine.kinds {
            do {
                try await DatabaseEngine.$current.withValue(engine) { try await function() }
            } catch {
                throw Failure(engine: engine, error: error)
            }
        }
    }

    /// What a test threw, and on which engine.
    private struct Failure: Error {
        let engine: DatabaseEngine
        let error: any Error
    }
}

extension Trait where Self == OnEveryDatabase {
    /// Runs each test of the suite on SQLite, and where there is a server on PostgreSQL.
    package static var onEveryDatabase: OnEveryDatabase { OnEveryDatabase() }
}
