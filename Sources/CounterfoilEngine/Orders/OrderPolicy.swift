// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore

/// What an app's owner decided about orders.
package struct OrderPolicy: Hashable, Sendable {
    /// What an account token that an order gets stands for.
    package enum TokenScope: String, CaseIterable, Sendable {
        /// Each order has its own, so that a transaction names its order.
        case order

        /// All orders of a customer share one, for apps that use the token as their user's id.
        case customer
    }

    package let tokenScope: TokenScope

    /// How long an order waits for its payment before it lapses; a later payment revives it.
    package let openFor: Duration

    /// The same from the moment when the payment was put before somebody for approval.
    package let pendingFor: Duration

    package init(
        tokenScope: TokenScope = .order, openFor: Duration = .seconds(24 * 3600),
        pendingFor: Duration = .seconds(7 * 24 * 3600)
    ) {
        self.tokenScope = tokenScope
        self.openFor = openFor
        self.pendingFor = pendingFor
    }
}
