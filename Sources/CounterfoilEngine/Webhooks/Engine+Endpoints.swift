// SPDX-License-Identifier: Apache-2.0

package import CounterfoilCore
import CounterfoilDatabase
package import CounterfoilStore
import CounterfoilWebhooks

extension Engine {
    /// What a write about an endpoint needs; see ``EndpointWrite``.
    package func endpointWrite(of app: AppID) -> EndpointWrite {
        EndpointWrite(
            app: app, freshID: freshID(), freshSecret: WebhookSecret(random: random).text,
            now: clock.now)
    }

    /// The endpoints of an app, the oldest first.
    package func endpoints(of app: AppID) async throws -> [EndpointRecord] {
        try await database.read { try $0.endpoints(app, limit: Limits.endpointsPerApp) }
    }

    /// An endpoint of the app, or nil if there is none with this id.
    package func endpoint(_ id: UniqueID, of app: AppID) async throws -> EndpointRecord? {
        try await database.read { try $0.endpoint(app, id) }
    }
}
