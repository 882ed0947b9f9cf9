// SPDX-License-Identifier: Apache-2.0

/// The decision about one transaction, as the client is told it.
package enum Decision: Hashable, Sendable {
    case fulfilled
    case alreadyFulfilled
    case restored

    /// Anything else; the reason determines status and action.
    case withheld(Reason)

    package var status: SubmissionStatus {
        switch self {
        case .fulfilled: .fulfilled
        case .alreadyFulfilled: .alreadyFulfilled
        case .restored: .restored
        case .withheld(let reason): reason.consequence.status
        }
    }

    package var client: ClientAction {
        switch self {
        case .fulfilled, .alreadyFulfilled, .restored: .finish
        case .withheld(let reason): reason.consequence.client
        }
    }

    /// Whether an event may have been published with it.
    var mayBeNews: Bool {
        switch status {
        case .fulfilled, .restored, .parked: true
        case .alreadyFulfilled, .pending, .rejected: false
        }
    }

    package var reason: Reason? {
        if case .withheld(let reason) = self { reason } else { nil }
    }
}
