// SPDX-License-Identifier: Apache-2.0

/// The rows of the database, with customers by the studio's ids.
package struct Books: Hashable, Sendable {
    package struct Purchase: Hashable, Sendable {
        package let environment: String
        package let facts: JoinedFacts
        package let owner: String?
        package let sale: String?
        package let parked: String?
        package let parkedOn: String?

        /// The order that it pays.
        package let order: String?

        package init(
            environment: String, facts: JoinedFacts, owner: String?, sale: String?,
            parked: String?, parkedOn: String?, order: String?
        ) {
            self.environment = environment
            self.facts = facts
            self.owner = owner
            self.sale = sale
            self.parked = parked
            self.parkedOn = parkedOn
            self.order = order
        }
    }

    /// A sale by its key, with the environment in front.
    package struct Place: Hashable, Comparable, Sendable {
        package let environment: String
        package let sale: String

        package init(environment: String, sale: String) {
            self.environment = environment
            self.sale = sale
        }

        package static func < (lhs: Place, rhs: Place) -> Bool {
            (lhs.environment, lhs.sale) < (rhs.environment, rhs.sale)
        }
    }

    package struct Grant: Hashable, Sendable {
        package let place: Place
        package let revision: Int64
        package let grant: Family.Grant

        package init(place: Place, revision: Int64, grant: Family.Grant) {
            self.place = place
            self.revision = revision
            self.grant = grant
        }
    }

    package struct Account: Hashable, Sendable {
        package let id: String
        package let environment: String
        package let customer: String?
        package let unit: String
        package let kind: String
        package let balance: Int64?

        package init(
            id: String, environment: String, customer: String?, unit: String, kind: String,
            balance: Int64?
        ) {
            self.id = id
            self.environment = environment
            self.customer = customer
            self.unit = unit
            self.kind = kind
            self.balance = balance
        }
    }

    package struct Transfer: Hashable, Sendable {
        package let id: String
        package let unit: String
        package let amount: Int64
        package let kind: String

        /// What is asked for by itself: one spend, one hold.
        package let operation: String?

        /// What whoever asked for it knows it by.
        package let reference: String?
        package let created: Int64

        package init(
            id: String, unit: String, amount: Int64, kind: String, operation: String?,
            reference: String?, created: Int64
        ) {
            self.id = id
            self.unit = unit
            self.amount = amount
            self.kind = kind
            self.operation = operation
            self.reference = reference
            self.created = created
        }
    }

    package struct Entry: Hashable, Sendable {
        package let account: String
        package let transfer: String
        package let amount: Int64

        package init(account: String, transfer: String, amount: Int64) {
            self.account = account
            self.transfer = transfer
            self.amount = amount
        }
    }

    package struct Period: Hashable, Sendable {
        package let place: Place
        package let customer: String
        package let right: String
        package let product: String
        package let transaction: String
        package let bought: Int64
        package let quantity: Int64
        package let length: String?
        package let starts: Int64
        package let ends: Int64?

        package init(
            place: Place, customer: String, right: String, product: String, transaction: String,
            bought: Int64, quantity: Int64, length: String?, starts: Int64, ends: Int64?
        ) {
            self.place = place
            self.customer = customer
            self.right = right
            self.product = product
            self.transaction = transaction
            self.bought = bought
            self.quantity = quantity
            self.length = length
            self.starts = starts
            self.ends = ends
        }
    }

    package struct Event: Hashable, Sendable {
        package let environment: String
        package let sequence: Int64?
        package let number: Int64?
        package let event: Family.Event

        package init(
            environment: String, sequence: Int64?, number: Int64?, event: Family.Event
        ) {
            self.environment = environment
            self.sequence = sequence
            self.number = number
            self.event = event
        }
    }

    package struct Order: Hashable, Sendable {
        package let id: String
        package let customer: String
        package let environment: String
        package let product: String
        package let token: String
        package let state: String
        package let paidBy: String?

        /// What one piece is worth, by the assortment of that name.
        package let goods: [Good]
        package let assortment: String

        package init(
            id: String, customer: String, environment: String, product: String, token: String,
            state: String, paidBy: String?, goods: [Good], assortment: String
        ) {
            self.id = id
            self.customer = customer
            self.environment = environment
            self.product = product
            self.token = token
            self.state = state
            self.paidBy = paidBy
            self.goods = goods
            self.assortment = assortment
        }
    }

    package var purchases: [Purchase] = []
    package var orders: [Order] = []

    /// The transactions whose owner was found by their token.
    package var ownedByToken: Set<String> = []

    /// The type of each sale.
    package var sales: [Place: String] = [:]
    package var grants: [Grant] = []
    package var accounts: [Account] = []
    package var transfers: [Transfer] = []
    package var entries: [Entry] = []
    package var lots: [Lot] = []
    package var lotUses: [LotUse] = []
    package var holds: [Hold] = []
    package var credits: [Credit] = []
    package var periods: [Period] = []
    package var events: [Event] = []

    package init() {}
}
