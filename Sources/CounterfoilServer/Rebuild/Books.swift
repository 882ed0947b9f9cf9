// SPDX-License-Identifier: Apache-2.0

package import CounterfoilCore
import CounterfoilDatabase
package import CounterfoilEngine

/// The books that a configuration names, for commands beside the server.
package enum Books {
    /// Compares what is derived with what it is derived from; servers may be at work meanwhile.
    ///
    /// - Parameters:
    ///   - random: Spreads pauses before tries.
    ///   - readSecret: Returns the bytes of the password's file, if nobody else may read it.
    /// - Throws: ``DatabaseError``, also if the books were made by another version of the program.
    package static func compare(
        _ configuration: ServerConfiguration, random: any RandomSource,
        readSecret: @escaping @Sendable (_ path: String) throws -> [UInt8]
    ) async throws -> RebuildReport {
        try await examine(configuration, random: random, readSecret: readSecret) {
            try await $0.run()
        }
    }

    /// Compares what the ledger alone must keep; otherwise as ``compare(_:random:readSecret:)``.
    package static func examineLedger(
        _ configuration: ServerConfiguration, random: any RandomSource,
        readSecret: @escaping @Sendable (_ path: String) throws -> [UInt8]
    ) async throws -> RebuildReport {
        try await examine(configuration, random: random, readSecret: readSecret) {
            try await $0.examineLedger()
        }
    }

    private static func examine(
        _ configuration: ServerConfiguration, random: any RandomSource,
        readSecret: @escaping @Sendable (_ path: String) throws -> [UInt8],
        _ body: (Rebuild) async throws -> RebuildReport
    ) async throws -> RebuildReport {
        let database = try configuration.database.open(
            makesFile: false, random: random, readSecret: readSecret)
        do {
            let report = try await body(Rebuild(database))
            await database.close()
            return report
        } catch {
            await database.close()
            throw error
        }
    }
}
