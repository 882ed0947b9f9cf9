// SPDX-License-Identifier: Apache-2.0

/// The studio's short name of an app; part of every key.
public enum AppKind: IdentifierKind {
    /// As the HTTP interface calls it.
    public static let name = "app"

    /// A name that people choose and type.
    public static let maximumByteCount = 64
}

/// Apple's bundle identifier.
public enum BundleKind: IdentifierKind {
    /// As the HTTP interface calls it.
    public static let name = "bundle_id"

    /// App Store Connect refuses longer ones.
    public static let maximumByteCount = 255
}

/// The studio's own user id, or the id that the server gave an anonymous customer.
public enum CustomerKind: IdentifierKind {
    /// As the HTTP interface calls it.
    public static let name = "customer_id"

    /// Room for a UUID with prefixes, or a mail address in most cases.
    public static let maximumByteCount = 128
}

/// One transaction of the App Store.
public enum TransactionKind: IdentifierKind {
    /// As the HTTP interface calls it.
    public static let name = "transaction_id"

    /// Apple's have up to 19 digits, Xcode's and simulators' are not bound to that.
    public static let maximumByteCount = 64
}

/// The first transaction of a chain of restores and renewals.
public enum OriginalTransactionKind: IdentifierKind {
    /// As the HTTP interface calls it.
    public static let name = "original_transaction_id"

    /// As long as a transaction id.
    public static let maximumByteCount = 64
}

/// A product as App Store Connect and the catalogue name it.
public enum ProductKind: IdentifierKind {
    /// As the HTTP interface calls it.
    public static let name = "product_id"

    /// Above what App Store Connect accepts (100 characters).
    public static let maximumByteCount = 255
}

/// A currency or an item of the catalogue.
public enum UnitKind: IdentifierKind {
    /// As the HTTP interface calls it.
    public static let name = "unit"

    /// A name that people choose and type.
    public static let maximumByteCount = 64
}

/// A right of the catalogue.
public enum EntitlementKind: IdentifierKind {
    /// As the HTTP interface calls it.
    public static let name = "entitlement"

    /// A name that people choose and type.
    public static let maximumByteCount = 64
}

/// The studio's short name of an app; part of every key.
public typealias AppID = Identifier<AppKind>

/// Apple's bundle identifier.
public typealias BundleID = Identifier<BundleKind>

/// The studio's own user id, or the id that the server gave an anonymous customer.
public typealias CustomerID = Identifier<CustomerKind>

/// One transaction of the App Store.
public typealias TransactionID = Identifier<TransactionKind>

/// The first transaction of a chain of restores and renewals.
public typealias OriginalTransactionID = Identifier<OriginalTransactionKind>

/// A product as App Store Connect and the catalogue name it.
public typealias ProductID = Identifier<ProductKind>

/// A currency or an item of the catalogue.
public typealias UnitID = Identifier<UnitKind>

/// A right of the catalogue.
public typealias EntitlementID = Identifier<EntitlementKind>
