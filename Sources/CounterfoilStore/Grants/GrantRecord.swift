// SPDX-License-Identifier: Apache-2.0

package import CounterfoilCore

/// How far a grant has come. It tells of delivery and never moves the ledger.
package enum GrantState: String, CaseIterable, Sendable {
    /// Verified and stored, but something stands in the way.
    case parked

    /// Waiting for the game server to take it.
    case due

    /// Handed to the game server, which has not answered yet.
    case sent

    /// The game server has it.
    case delivered

    /// The game server refused it, with a note.
    case rejected

    /// The backend that ran before Counterfoil delivered it.
    case deliveredElsewhere = "delivered_elsewhere"

    /// What had waited will not be given: the purchase was refunded first, or is no sale of its own.
    case withdrawn
}

/// Where a grant stands among those of its state: they go by age, and by id where that is the same.
package struct GrantPlace: Hashable, Sendable {
    package let createdAt: Instant
    package let grantID: UniqueID

    package init(createdAt: Instant, grantID: UniqueID) {
        self.createdAt = createdAt
        self.grantID = grantID
    }
}

/// The goods owed for one sale.
package struct GrantRecord: Hashable, Sendable {
    package let sale: SaleReference
    package let revision: Int64
    package let grantID: UniqueID
    package var customer: UniqueID?
    package var transactionID: TransactionID
    package var productID: ProductID
    package var quantity: Int64

    /// The frozen goods as JSON; nil while nothing of it has left `parked`.
    package var goods: String?
    package var catalogueVersion: String?
    package var state: GrantState
    package var parkedReason: String?
    package var createdAt: Instant
    package var updatedAt: Instant
    package var note: String?

    /// The order that was paid, if there was one.
    package var order: UniqueID?

    package init(
        sale: SaleReference, revision: Int64, grantID: UniqueID, customer: UniqueID?,
        transactionID: TransactionID, productID: ProductID, quantity: Int64, state: GrantState,
        createdAt: Instant
    ) {
        self.sale = sale
        self.revision = revision
        self.grantID = grantID
        self.customer = customer
        self.transactionID = transactionID
        self.productID = productID
        self.quantity = quantity
        self.state = state
        self.createdAt = createdAt
        updatedAt = createdAt
    }
}
