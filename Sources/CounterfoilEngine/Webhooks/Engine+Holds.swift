// SPDX-License-Identifier: Apache-2.0

package import CounterfoilCore
package import CounterfoilDatabase
package import CounterfoilStore

extension Engine {
    /// What an app holds back: the app itself first, then products.
    package func deliveryHolds(of app: AppID) async throws -> [DeliveryHold] {
        try await database.read { try $0.deliveryHolds(app, limit: Limits.holdsPerApp) }
    }

    /// Lets go what was held back.
    ///
    /// - Returns: false if nothing was.
    package func endDeliveryHold(of app: AppID, product: ProductID?) async throws -> Bool {
        let wasHeld = try await database.write { try $0.endDeliveryHold(app, product) }
        // Also where there was no hold: an earlier call may have ended half-way.
        if let product {
            while true {
                let count = try await database.write { transaction in
                    try transaction.releaseHeld(
                        app, product, limit: Limits.pageSize, at: try transaction.currentTime())
                }
                if count < Int(Limits.pageSize) { break }
            }
        }
        courierSignal()
        return wasHeld
    }
}

extension DeliveryHold {
    /// Keeps webhooks back, of the whole app or of one product. What is under way is not called back;
    /// later events of a customer wait behind one that is held. Reading events goes on as ever.
    ///
    /// - Returns: false if the app holds back as many products as it may.
    package func begin(in transaction: any WriteTransaction) throws -> Bool {
        let holds = try transaction.deliveryHolds(app, limit: Limits.holdsPerApp)
        let isNew = !holds.contains { $0.product == product }
        guard !isNew || holds.count < Int(Limits.holdsPerApp) else { return false }
        try transaction.save(self)
        return true
    }
}
