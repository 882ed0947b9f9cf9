// SPDX-License-Identifier: Apache-2.0

internal import CounterfoilCore

/// The receipt of one purchase from iOS 6 and earlier, taken apart but not judged.
///
/// Its signature covers the purchase only: what it says about its environment is not signed, so it
/// never proves that money was paid.
public struct TransactionReceipt: Hashable, Sendable {
    /// A name and its text.
    public struct Entry: Hashable, Sendable {
        /// The name, as it is spelled.
        public let key: String

        /// The text behind it.
        public let value: String
    }

    /// The dictionary around the purchase, in its order: signature, environment, pod.
    public let outer: [Entry]

    /// The signed dictionary, in its order; its names have dashes.
    public let purchase: [Entry]

    /// Reads the dictionary and the one inside it.
    ///
    /// Returns nil if one of them is no dictionary of texts, or if the purchase is not there.
    public init?(_ bytes: some Collection<UInt8>) {
        guard let outer = OpenStepDictionary(bytes), let encoded = outer["purchase-info"],
            let decoded = Base64.decode(encoded.utf8, .standard),
            let purchase = OpenStepDictionary(decoded)
        else { return nil }
        self.outer = outer.entries
        self.purchase = purchase.entries
    }
}
