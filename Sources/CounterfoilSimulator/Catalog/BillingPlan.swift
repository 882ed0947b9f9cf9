// SPDX-License-Identifier: Apache-2.0
public import CounterfoilApple

/// A way to pay for a subscription of a year (since version 5 of the file format).
public struct BillingPlan: Hashable, Sendable {
    /// `BILLED_UPFRONT` or `MONTHLY`.
    public var type: BillingPlanType

    /// One payment in thousandths of the storefront's currency.
    public var priceMilli: Int64

    /// The whole commitment in thousandths of the storefront's currency.
    public var commitmentPriceMilli: Int64

    /// Whether customers may choose it.
    public var isEnabled: Bool

    /// The id in the file.
    public var internalID: String?

    /// Makes a plan.
    public init(
        type: BillingPlanType, priceMilli: Int64, commitmentPriceMilli: Int64,
        isEnabled: Bool = true, internalID: String? = nil
    ) {
        self.type = type
        self.priceMilli = priceMilli
        self.commitmentPriceMilli = commitmentPriceMilli
        self.isEnabled = isEnabled
        self.internalID = internalID
    }
}
