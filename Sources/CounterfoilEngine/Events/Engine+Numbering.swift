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
    /// - Returns: How many this call numbered.
    @discardableResult
    package func numberEvents() async throws -> Int {
        var numbered = 0
        while true {
            let apps = try await database.read { try $0.appsWithUnnumberedEvents() }
            if apps.isEmpty { return numbered }
            for app in apps {
                numbered += try await database.write { transaction in
                    try transaction.numberEvents(app, limit: Limits.eventsPerNumbering)
                }
            }
        }
    }
}
