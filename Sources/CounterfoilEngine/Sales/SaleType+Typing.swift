// SPDX-License-Identifier: Apache-2.0

import CounterfoilApple
import CounterfoilStore

/// Which type a transaction settles as, or why that cannot be told yet.
enum SaleTyping: Hashable {
    case known(SaleType)
    case unknown(Reason)
}

extension SaleTyping {
    /// The signed type counts; the catalogue's only where nothing was signed. Where both speak and
    /// disagree nothing is granted, since one of them is about another product.
    init(_ record: TransactionRecord, catalogue: Catalogue) {
        let listed = catalogue.products[record.identity.value.productID]?.type
        guard let signed = record.identity.value.type else {
            self = listed.map { .known($0) } ?? .unknown(.unknownProduct)
            return
        }
        guard let type = SaleType(ProductType(rawValue: signed)) else {
            self = .unknown(.unknownType)
            return
        }
        self = listed == nil || listed == type ? .known(type) : .unknown(.typeMismatch)
    }
}

extension SaleType {
    fileprivate init?(_ type: ProductType) {
        switch type {
        case .consumable: self = .consumable
        case .nonConsumable: self = .nonConsumable
        case .nonRenewing: self = .nonRenewing
        case .autoRenewable: self = .autoRenewable
        default: return nil
        }
    }
}
