// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilDatabase
import CounterfoilStore

extension Engine {
    /// Gives committed events the numbers by which readers see them, until none is left without.
    ///
    /// On an engine with one writer there is nothing to do: there events are numbered as they are
    /// published. Several servers may call it at the same time; each event is numbered once.
    ///
    /// An app whose events cannot be numbered does not keep the others waiting.
    ///
    /// - Returns: How many this call numbered.
    /// - Throws: What the first app failed with, after the others.
    @discardableResult
    package func numberEvents() async throws -> Int {
        var numbered = 0
        var failed: Set<AppID> = []
        var failure: (any Error)?
        while true {
            let apps = try await database.read { try $0.appsWithUnnumberedEvents() }
                .filter { !failed.contains($0) }
            if apps.isEmpty { break }
            for app in apps {
                do {
                    numbered += try await database.write { transaction in
                        try transaction.numberEvents(app, limit: Limits.eventsPerNumbering)
                    }
                } catch {
                    failure = failure ?? error
                    failed.insert(app)
                }
            }
        }
        if numbered > 0 { courierSignal() }
        if let failure { throw failure }
        return numbered
    }
}
