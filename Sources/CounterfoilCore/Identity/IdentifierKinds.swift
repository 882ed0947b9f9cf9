// SPDX-License-Identifier: Apache-2.0

/// The studio's short name of an app; part of every key.
public enum AppKind: IdentifierKind {
    public static let name = "app"
    public static let maximumByteCount = 64
}

/// Apple's bundle identifier.
public enum BundleKind: IdentifierKind {
    public static let name = "bundle_id"
    public static let maximumByteCount = 255
}

/// The studio's own user id, or the id that the server gave an anonymous customer.
public enum CustomerKind: IdentifierKind {
    public static let name = "customer_id"
    public static let maximumByteCount = 128
}

/// One transaction of the App Store.
public enum TransactionKind: IdentifierKind {
    public static let name = "transaction_id"
    public static let maximumByteCount = 64
}

/// The first transaction of a chain of restores and renewals.
public enum OriginalTransactionKind: IdentifierKind {
    public static let name = "original_transaction_id"
    public static let maximumByteCount = 64
}

/// A product as App Store Connect and the catalogue name it.
public enum ProductKind: IdentifierKind {
    public static let name = "product_id"
    public static let maximumByteCount = 255
}

/// A currency or an item of the catalogue.
public enum UnitKind: IdentifierKind {
    public static let name = "unit"
    public static let maximumByteCount = 64
}

/// A right of the catalogue.
public enum EntitlementKind: IdentifierKind {
    public static let name = "entitlement"
    public static let maximumByteCount = 64
}

public typealias AppID = Identifier<AppKind>
public typealias BundleID = Identifier<BundleKind>
public typealias CustomerID = Identifier<CustomerKind>
public typealias TransactionID = Identifier<TransactionKind>
public typealias OriginalTransactionID = Identifier<OriginalTransactionKind>
public typealias ProductID = Identifier<ProductKind>
public typealias UnitID = Identifier<UnitKind>
public typealias EntitlementID = Identifier<EntitlementKind>
