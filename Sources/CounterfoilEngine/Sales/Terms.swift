// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilDatabase
import CounterfoilStore

/// What one piece of a product is worth to a purchase, and by which catalogue.
struct Terms {
    let goods: [Goods]
    let version: String
}

extension Terms {
    /// The frozen terms of an order go to the payment that it was made for. Further payments get
    /// what the catalogue says today, or an old token would keep an old offer for ever; but what the
    /// catalogue no longer knows is delivered as it was promised.
    ///
    /// - Returns: nil if nobody says what the product is worth.
    init?(of record: TransactionRecord, order: OrderRecord?, catalogue: Catalogue)
        throws(DatabaseError)
    {
        let product = catalogue.products[record.identity.value.productID]
        if let order, product == nil || order.isForPayment(of: record) {
            goods = try order.frozenGoods()
            version = order.catalogueVersion
        } else if let product {
            goods = product.goods
            version = catalogue.version
        } else {
            return nil
        }
    }
}

extension OrderRecord {
    /// Whether the transaction is the first payment, or the first one with real money.
    fileprivate func isForPayment(of record: TransactionRecord) -> Bool {
        guard let paidBy else { return true }
        let isItself = paidBy == record.transactionID && environment == record.environment
        return isItself || (record.environment == .production && environment != .production)
    }

    /// The goods of one piece.
    func frozenGoods() throws(DatabaseError) -> [Goods] {
        let elements = (try? JSONValue(parsing: goods.utf8))?.array
        let read = (elements ?? []).compactMap { Goods(frozen: $0) }
        guard read.count == elements?.count else {
            throw DatabaseError(.unexpectedValue, "the goods of an order cannot be read")
        }
        return read
    }
}
