// SPDX-License-Identifier: Apache-2.0
import CounterfoilApple
public import CounterfoilCore

/// What Advanced Commerce adds to a subscription, in Apple's own form.
public struct AdvancedCommerceTerms: Hashable, Sendable {
    /// The member `advancedCommerceInfo` of transactions.
    public var transaction: JSONObject

    /// The member `advancedCommerceInfo` of the renewal state.
    public var renewal: JSONObject

    /// Makes terms.
    public init(transaction: JSONObject, renewal: JSONObject) {
        self.transaction = transaction
        self.renewal = renewal
    }
}

extension SimulatedStore {
    /// What Apple announces about Advanced Commerce.
    public enum AdvancedCommerceChange: String, Hashable, Sendable, CaseIterable {
        /// `METADATA_UPDATE`
        case metadata

        /// `MIGRATION`
        case migration

        /// `MIGRATE`, as Apple's changelog spells it
        case migrate

        /// `PRICE_CHANGE`
        case price

        var type: NotificationType {
            switch self {
            case .metadata: .metadataUpdate
            case .migration: .migration
            case .migrate: .migrate
            case .price: .priceChange
            }
        }
    }

    /// Puts Advanced Commerce terms on a subscription, in place of those that it has, and announces
    /// the change; later transactions and renewal states carry them.
    ///
    /// - Throws: `transaction.unknown`, `subscription.unknown`, `transaction.family_shared`.
    public mutating func setAdvancedCommerce(
        _ terms: AdvancedCommerceTerms, of transactionID: String,
        announcing change: AdvancedCommerceChange?
    ) throws(StoreError) {
        let position = try ownSubscriptionPosition(transactionID)
        advancedCommerce[Int32(position)] = terms
        if let change { announce(change.type, subscription: position) }
    }
}
