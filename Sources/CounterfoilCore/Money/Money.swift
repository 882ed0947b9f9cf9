// SPDX-License-Identifier: Apache-2.0

/// An amount in thousandths of a currency's major unit, as Apple's `price` counts it.
///
/// USD 4.99 is 4,990; JPY 300 is 300,000. Amounts above 32 bits are common in weak currencies.
public struct Money: Hashable, Sendable {
    /// The amount in thousandths; negative where money went back.
    public var amountMilli: Int64

    /// The ISO 4217 code, as the source spells it.
    public var currency: String

    /// Makes an amount; nothing is converted or rounded.
    public init(amountMilli: Int64, currency: String) {
        self.amountMilli = amountMilli
        self.currency = currency
    }
}
