// SPDX-License-Identifier: Apache-2.0

package import CounterfoilCore
import CounterfoilDatabase
package import CounterfoilEngine

extension Books {
    /// Imports a file into the books that a configuration names; servers may be at work meanwhile, and
    /// do the jobs that it leaves.
    ///
    /// - Parameters:
    ///   - startsOver: Whether to look at all lines again.
    ///   - isTrial: Whether to say what would happen, and do nothing.
    ///   - read: Returns the bytes of a file that the configuration names.
    ///   - readSecret: As `read`, if nobody else may read it.
    /// - Throws: ``ConfigurationError``, ``AppWorldError`` or ``DatabaseError``.
    package static func importFile(
        _ file: ImportFile, to app: AppID, startsOver: Bool, isTrial: Bool,
        _ configuration: ServerConfiguration, clock: any WallClock, random: any RandomSource,
        read: @escaping @Sendable (_ path: String) throws -> [UInt8],
        readSecret: @escaping @Sendable (_ path: String) throws -> [UInt8],
        onProgress: (ImportStep) -> Void
    ) async throws -> ImportReport {
        let policies = try configuration.policies(reading: read)
        let database = try configuration.database.open(random: random, readSecret: readSecret)
        do {
            let engine = try await Engine.open(
                database, policies: policies, clock: clock, random: random, jobSignal: {})
            guard let policy = engine.policies[app] else {
                throw ConfigurationError("there is no app \(app)")
            }
            let report = try await engine.importFile(
                file, to: policy, startsOver: startsOver, isTrial: isTrial, onProgress: onProgress)
            await database.close()
            return report
        } catch {
            await database.close()
            throw error
        }
    }
}
