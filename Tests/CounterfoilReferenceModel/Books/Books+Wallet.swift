// SPDX-License-Identifier: Apache-2.0

extension Books {
    /// Units that came together, or a debt.
    package struct Lot: Hashable, Sendable {
        package let id: String
        package let account: String

        /// The sale or the credit that it came from.
        package let sale: String?
        package let amount: Int64
        package let remaining: Int64
        package let expires: Int64?

        package init(
            id: String, account: String, sale: String?, amount: Int64, remaining: Int64,
            expires: Int64?
        ) {
            self.id = id
            self.account = account
            self.sale = sale
            self.amount = amount
            self.remaining = remaining
            self.expires = expires
        }
    }

    /// What a transfer took from a lot, or gave back (negative).
    package struct LotUse: Hashable, Sendable {
        package let transfer: String
        package let lot: String
        package let account: String
        package let amount: Int64

        package init(transfer: String, lot: String, account: String, amount: Int64) {
            self.transfer = transfer
            self.lot = lot
            self.account = account
            self.amount = amount
        }
    }

    package struct Hold: Hashable, Sendable {
        package let id: String
        package let environment: String
        package let customer: String
        package let unit: String
        package let amount: Int64
        package let state: String
        package let posted: Int64
        package let reference: String?
        package let expires: Int64
        package let created: Int64
        package let closed: Int64?

        package init(
            id: String, environment: String, customer: String, unit: String, amount: Int64,
            state: String, posted: Int64, reference: String?, expires: Int64, created: Int64,
            closed: Int64?
        ) {
            self.id = id
            self.environment = environment
            self.customer = customer
            self.unit = unit
            self.amount = amount
            self.state = state
            self.posted = posted
            self.reference = reference
            self.expires = expires
            self.created = created
            self.closed = closed
        }
    }

    /// Units that were given by hand.
    package struct Credit: Hashable, Sendable {
        package let id: String
        package let environment: String
        package let customer: String
        package let unit: String
        package let paid: Int64
        package let bonus: Int64
        package let reference: String?

        /// The purchase that it stands in for.
        package let transaction: String?
        package let order: String?

        /// The sale that gave less because of it.
        package let sale: String?

        package init(
            id: String, environment: String, customer: String, unit: String, paid: Int64,
            bonus: Int64, reference: String?, transaction: String?, order: String?, sale: String?
        ) {
            self.id = id
            self.environment = environment
            self.customer = customer
            self.unit = unit
            self.paid = paid
            self.bonus = bonus
            self.reference = reference
            self.transaction = transaction
            self.order = order
            self.sale = sale
        }
    }
}
