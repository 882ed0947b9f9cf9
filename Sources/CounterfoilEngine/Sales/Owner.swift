// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore

/// Whose a transaction is, and by what (docs/settlement.md, "The owner").
enum Owner: Hashable {
    case known(UniqueID, Source)

    /// Nobody can be named yet.
    case unknown(Reason)

    enum Source: String {
        /// Found at an earlier settlement, for this transaction or its original.
        case recorded

        /// Named by the account token inside Apple's signature.
        case token

        /// Named by the ticket of an order.
        case ticket

        /// The authenticated customer who claimed exactly this transaction.
        case claim

        /// Whoever handed in a receipt with it and had an open order for it.
        case order
    }

    var customer: UniqueID? {
        if case .known(let customer, _) = self { customer } else { nil }
    }

    /// Whether the owner was found just now.
    var isFirst: Bool {
        if case .known(_, let source) = self { source != .recorded } else { false }
    }

    /// What the database and the submission say about the owner.
    struct Evidence {
        /// The recorded owner of the transaction, or of its original.
        var recorded: UniqueID?

        /// The token that Apple signed, if any, and the customer it names, if it is known.
        var token: UniqueID?
        var tokenCustomer: UniqueID?

        /// The customer of the order whose ticket came along.
        var ticketCustomer: UniqueID?

        /// The customer who claims this very transaction.
        var claimant: UniqueID?
    }

    /// A recorded owner stays. A signed token decides next; one that names nobody never falls
    /// through to whoever is logged in, nor to a ticket.
    init(_ evidence: Evidence) {
        if let recorded = evidence.recorded {
            self = .known(recorded, .recorded)
        } else if evidence.token != nil {
            self = evidence.tokenCustomer.map { .known($0, .token) } ?? .unknown(.unknownToken)
        } else if let customer = evidence.ticketCustomer {
            self = .known(customer, .ticket)
        } else {
            self = evidence.claimant.map { .known($0, .claim) } ?? .unknown(.noOwner)
        }
    }
}
