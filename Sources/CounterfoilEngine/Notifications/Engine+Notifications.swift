// SPDX-License-Identifier: Apache-2.0

package import CounterfoilCore
import CounterfoilDatabase
package import CounterfoilStore

extension Engine {
    /// What Apple told about an app, the last one first, those behind `after`.
    package func notifications(
        of app: AppID, after: NotificationPlace?, limit: Int64
    ) async throws -> [NotificationRecord] {
        try await database.read { try $0.notifications(app, after: after, limit: limit) }
    }
}
