// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilEngine

/// The body of `POST /v1/purchases`.
enum PurchaseRequest {
    /// The longest `signed_transaction`; Apple's have about 5 KB.
    private static let maximumTokenByteCount = 1 << 20

    /// Reads the body; nil after faults were reported.
    ///
    /// - Parameter own: The customer for whom the sender acts, who need not be named again.
    static func read(
        _ body: inout ObjectReader, by own: CustomerID?, from address: String
    ) -> Submission? {
        let named = body.identifier("customer_id", CustomerKind.self, isRequired: own == nil)
        guard let customer = named ?? own else {
            // What else is wrong is told with it.
            _ = evidence(&body, of: nil, from: address, isByCustomer: false)
            return nil
        }
        return evidence(&body, of: customer, from: address, isByCustomer: own != nil)
    }

    /// Reads the members that are evidence and claim; nil after faults were reported.
    ///
    /// - Parameter isByCustomer: Whether the sender acts for this customer only.
    static func evidence(
        _ body: inout ObjectReader, of customer: CustomerID?, from address: String,
        isByCustomer: Bool
    ) -> Submission? {
        let token = body.string(
            "signed_transaction", maximum: maximumTokenByteCount, isRequired: false)
        let receipt = body.string(
            "receipt_data", maximum: Limits.receiptTextByteCount, isRequired: false)
        let claim = body.identifier("transaction_id", TransactionKind.self, isRequired: false)
        let product = body.identifier("product_id", ProductKind.self, isRequired: false)
        let order = named(&body)
        let proof: Submission.Proof
        switch (token, receipt) {
        case (let token?, nil): proof = .signedTransaction(token)
        case (nil, let receipt?): proof = .receipt(receipt)
        case (nil, nil):
            body.report(
                "signed_transaction", "is missing; expected it or receipt_data")
            return nil
        case (_?, _?):
            body.report("receipt_data", "stands beside signed_transaction; expected one of them")
            return nil
        }
        guard let customer, body.findings.isEmpty else { return nil }
        return Submission(
            customer: customer, proof: proof, claimedTransactionID: claim,
            claimedProductID: product, order: order, address: address,
            isByCustomer: isByCustomer)
    }

    /// Whatever stands there, the purchase is taken: clients keep ids where they get lost or mixed up
    /// (requirement 004-17).
    private static func named(_ body: inout ObjectReader) -> NamedOrder? {
        let id = body.string("order_id", maximum: Limits.orderWordByteCount, isRequired: false)
        let ticket = body.string("ticket", maximum: Limits.orderWordByteCount, isRequired: false)
        guard id != nil || ticket != nil else { return nil }
        return NamedOrder(orderID: id.flatMap { UniqueID($0) }, ticket: ticket)
    }
}
