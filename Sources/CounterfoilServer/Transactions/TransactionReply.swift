// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilEngine
import CounterfoilStore

extension TransactionView {
    /// The answer to `GET /v1/transactions/{id}`.
    func json(_ catalogue: Catalogue) -> JSONValue {
        let identity = record.identity.value
        return [
            "transaction_id": .string(record.transactionID.rawValue),
            "environment": .string(record.environment.rawValue),
            "original_transaction_id": .string(identity.originalTransactionID.rawValue),
            "product_id": .string(identity.productID.rawValue),
            "type": .optional(identity.type),
            "classification": .optional(
                PurchaseClass(
                    record, soldAs: saleType, catalogue: catalogue, isBoughtAgain: isBoughtAgain)?
                    .rawValue),
            "quantity": .integer(identity.quantity),
            "purchase_date": .string(identity.purchaseDate.rfc3339),
            "original_purchase_date": .string(identity.originalPurchaseDate.rfc3339),
            "expires_date": .optional(record.expiresDate?.value?.rfc3339),
            "revocation_date": .optional(record.revocation?.value.date?.rfc3339),
            "price": record.priceJSON,
            "storefront": .optional(record.price?.value.storefront),
            "app_account_token": .optional(record.ownership?.value.appAccountToken?.description),
            "ownership_type": .optional(record.ownership?.value.ownershipType),
            "signed_date": .string(record.identity.source.signedDate.rfc3339),
            "created_at": .string(record.createdAt.rfc3339),
            "customer_id": .optional(owner?.rawValue),
            "owner_source": .optional(ownerSource),
            "order_id": .optional(record.order?.description),
            "parked": parked,
            "grant": grant?.json ?? .null,
            "changes": .array(changes.map(\.json)),
            "lots": .array(lots.map(\.json)),
        ]
    }

    private var parked: JSONValue {
        guard let parking = record.parking else { return .null }
        return ["reason": .string(parking.reason), "waits_for": .string(parking.cause)]
    }
}

extension GrantChange {
    fileprivate var json: JSONValue {
        [
            "grant": grant.json,
            "revocation_date": .optional(refund.revocationDate?.rfc3339),
            "price": refund.price?.json ?? .null,
        ]
    }
}

extension LotUsage {
    fileprivate var json: JSONValue {
        [
            "unit": .string(unit.rawValue), "kind": .string(kind.rawValue),
            "amount": .integer(amount), "remaining": .integer(remaining),
            "refunded": .integer(refunded), "consumed": .integer(consumed),
        ]
    }
}
