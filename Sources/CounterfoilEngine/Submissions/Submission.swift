// SPDX-License-Identifier: Apache-2.0

package import CounterfoilCore

/// One act of handing in evidence, by a customer whom the caller has authenticated, or by Apple.
package struct Submission: Sendable {
    /// The text in which the evidence came.
    package enum Proof: Sendable {
        /// A StoreKit 2 transaction in compact JWS form.
        case signedTransaction(String)

        /// An app receipt in base64.
        case receipt(String)

        /// The `signedPayload` of a notification V2.
        case notification(String)
    }

    /// nil for what no customer handed in.
    package let customer: CustomerID?
    package let proof: Proof

    /// The transaction that the customer says is theirs; nil leaves a receipt without a claim, and
    /// for a signed transaction means the one that is signed.
    package let claimedTransactionID: TransactionID?

    /// The product that the client thinks was bought; recorded, never believed.
    package let claimedProductID: ProductID?

    /// The order that the client thinks was paid, with its ticket; a wrong one does no harm.
    package let order: NamedOrder?

    /// Where the request came from, as text.
    package let address: String

    /// Whether the caller is the customer, who hears nothing about orders of others, and not a server of
    /// the studio.
    package let isByCustomer: Bool

    package init(
        customer: CustomerID, proof: Proof, claimedTransactionID: TransactionID?,
        claimedProductID: ProductID?, order: NamedOrder? = nil, address: String,
        isByCustomer: Bool = false
    ) {
        self.customer = customer
        self.proof = proof
        self.claimedTransactionID = claimedTransactionID
        self.claimedProductID = claimedProductID
        self.order = order
        self.address = address
        self.isByCustomer = isByCustomer
    }

    /// A notification in compact JWS form. It claims nothing for anybody: what it tells of a purchase
    /// is taken in, and delivered only to whom a token or an earlier owner names.
    package init(notification signedPayload: String, address: String) {
        customer = nil
        proof = .notification(signedPayload)
        claimedTransactionID = nil
        claimedProductID = nil
        order = nil
        self.address = address
        isByCustomer = false
    }

    /// Where it came in.
    var origin: String {
        if case .notification = proof { "notification" } else { "api" }
    }
}

/// What a client says about the order that a purchase was made for.
package struct NamedOrder: Sendable {
    /// nil where the client named something that is no order's id.
    package let orderID: UniqueID?
    package let ticket: String?

    package init(orderID: UniqueID?, ticket: String?) {
        self.orderID = orderID
        self.ticket = ticket
    }
}

/// What the client is told.
package struct SubmissionOutcome: Sendable {
    /// One transaction of the evidence.
    package struct Entry: Hashable, Sendable {
        package let transactionID: TransactionID
        package let productID: ProductID
        package let decision: Decision

        /// The grant, where one was made.
        package let grantID: UniqueID?

        /// The order that it paid, as ``OrderRecord/referenceJSON`` tells it; null where there was none.
        package let order: JSONValue
    }

    package let submissionID: UniqueID
    package let decision: Decision

    /// The failed check with what it expected and found, for the client's developer.
    package let detail: String?

    /// Whether the evidence is genuine but does not fit our configuration: an operator should look.
    package let isSuspectConfiguration: Bool
    package let environment: AppStoreEnvironment?
    package let transactionID: TransactionID?

    /// The number of the customer's last event in this environment, so that a reader can ask for a state
    /// that has it; nil where customer or environment is not known.
    package let version: Int64?

    /// When to try again; only with ``ClientAction/keep``.
    package let retryAfter: Duration?

    /// The transactions of the evidence, the claimed one first.
    package let entries: [Entry]
}
