// SPDX-License-Identifier: Apache-2.0

/// Why products do not make a catalogue.
public struct CatalogError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A stable name for the reason.
    public struct Code: Hashable, Sendable {
        private enum Value: String {
            case duplicateProduct = "catalog.duplicate_product"
            case unknownGroup = "catalog.unknown_group"
            case duplicateGroup = "catalog.duplicate_group"
            case terms = "catalog.terms"
            case price = "catalog.price"
            case offer = "catalog.offer"
            case size = "catalog.size"
        }

        private let value: Value

        /// The reason's name in logs and documents.
        public var name: String { value.rawValue }

        /// Two products share an id.
        public static let duplicateProduct = Code(value: .duplicateProduct)

        /// A subscription names a group that is not there.
        public static let unknownGroup = Code(value: .unknownGroup)

        /// Two groups share an id.
        public static let duplicateGroup = Code(value: .duplicateGroup)

        /// A subscription without terms, or terms without a subscription.
        public static let terms = Code(value: .terms)

        /// A price below zero or beyond the limit.
        public static let price = Code(value: .price)

        /// An offer that cannot be.
        public static let offer = Code(value: .offer)

        /// More products or groups than the limit.
        public static let size = Code(value: .size)
    }

    /// What kind of fault it is.
    public let code: Code

    /// The product or group.
    public let subject: String

    /// What is wrong with it.
    public let message: String

    /// Subject and fault.
    public var description: String { "\(subject): \(message)" }
}
