// SPDX-License-Identifier: Apache-2.0

package import CounterfoilCore
import CounterfoilDatabase
package import CounterfoilStore

/// What waits for somebody: purchases for a cause to go, goods for the game server, work for a worker.
package struct WaitingWork: Sendable {
    /// What waits in one environment of one app.
    package struct Place: Sendable {
        package let app: AppID
        package let environment: AppStoreEnvironment
        package let parked: Backlog
        package let due: Backlog
    }

    /// What an app has for its endpoints.
    package struct Outbox: Sendable {
        package let app: AppID
        package let waiting: Backlog

        /// What was given up.
        package let dead: Backlog
    }

    /// Every environment of every configured app, in the order of the apps.
    package let places: [Place]
    package let outboxes: [Outbox]
    package let jobs: Backlog
}

extension Engine {
    /// Counts what waits. It walks along indexes and stops where further counting would tell nothing
    /// new, so it may be asked for every few seconds.
    package func waitingWork() async throws -> WaitingWork {
        let apps = policies.keys.sorted()
        return try await database.read { transaction in
            let places = try apps.flatMap { app in
                try [AppStoreEnvironment.production, .sandbox].map { environment in
                    WaitingWork.Place(
                        app: app, environment: environment,
                        parked: try transaction.parkedBacklog(app, environment),
                        due: try transaction.grantBacklog(app, environment, in: .due))
                }
            }
            let outboxes = try apps.map { app in
                WaitingWork.Outbox(
                    app: app, waiting: try transaction.deliveryBacklog(app, in: .waiting),
                    dead: try transaction.deliveryBacklog(app, in: .dead))
            }
            return WaitingWork(
                places: places, outboxes: outboxes, jobs: try transaction.jobBacklog())
        }
    }

    /// Apps that the database knows and the configuration does not, in the order of their ids.
    package func unconfiguredApps() async throws -> [AppID] {
        try await database.read { try $0.knownApps() }.filter { policies[$0] == nil }
    }
}
