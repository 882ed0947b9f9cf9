// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilDatabase

// Columns that several tables share, so that one limit stands in one place.
extension Column {
    static let app = Column.text("app", maximum: AppKind.maximumByteCount)
    static let environment = Column.text("environment", maximum: Limits.environment)
    static let customerKey = Column.uniqueID("customer_key")
    static let sale = Column.text("sale", maximum: Limits.sale)
    static let createdAt = Column.instant("created_at")
    static let evidenceDigest = Column.bytes("evidence", maximum: 32)

    static func transactionID(_ name: String) -> Column {
        .text(name, maximum: TransactionKind.maximumByteCount)
    }

    static let productID = Column.text("product_id", maximum: ProductKind.maximumByteCount)

    static func word(_ name: String) -> Column {
        .text(name, maximum: Limits.word)
    }

    static func appleText(_ name: String) -> Column {
        .text(name, maximum: Limits.appleText)
    }
}
