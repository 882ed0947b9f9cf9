// SPDX-License-Identifier: Apache-2.0

public import CounterfoilCore

/// Names that an Advanced Commerce purchase shows to the customer.
public struct AdvancedCommerceDescriptors: Hashable, Sendable {
    /// The text for the customer.
    public let description: String?

    /// The name for the customer.
    public let displayName: String?

    init(_ fields: JSONObject, _ reader: FieldReader) throws(PayloadError) {
        description = try reader.lenient.text("description")
        displayName = try reader.lenient.text("displayName")
    }
}

/// A lower price for some periods of an item.
public struct AdvancedCommerceOffer: Hashable, Sendable {
    /// An ISO 8601 duration.
    public let period: String?

    /// 1 to 12.
    public let periodCount: Int64?

    /// Thousandths of the enclosing currency.
    public let priceMilli: Int64?

    /// Why.
    public let reason: AdvancedCommerceOfferReason?

    init(_ fields: JSONObject, _ reader: FieldReader) throws(PayloadError) {
        period = try reader.text("period")
        periodCount = try reader.integer("periodCount")
        priceMilli = try reader.integer("price")
        reason = try reader.lenient.name("reason")
    }
}

/// The part of an item that went back.
public struct AdvancedCommerceRefund: Hashable, Sendable {
    /// Thousandths of the enclosing currency.
    public let amountMilli: Int64?

    /// When the money went back.
    public let date: Instant?

    /// Why.
    public let reason: AdvancedCommerceRefundReason?

    /// The kind of product, as signed.
    public let type: AdvancedCommerceRefundType?

    init(_ fields: JSONObject, _ reader: FieldReader) throws(PayloadError) {
        amountMilli = try reader.integer("refundAmount")
        date = try reader.instant("refundDate")
        reason = try reader.lenient.name("refundReason")
        type = try reader.name("refundType")
    }
}

/// A higher price that is coming for an item.
public struct AdvancedCommercePriceIncrease: Hashable, Sendable {
    /// Items whose increase hangs on this one.
    public let dependentSKUs: [String]?

    /// Thousandths of the enclosing currency.
    public let priceMilli: Int64?

    /// How far it has come.
    public let status: AdvancedCommercePriceIncreaseStatus?

    init(_ fields: JSONObject, _ reader: FieldReader) throws(PayloadError) {
        dependentSKUs = try reader.lenient.texts("dependentSKUs")
        priceMilli = try reader.integer("price")
        status = try reader.lenient.name("status")
    }
}

/// One item of an Advanced Commerce purchase or renewal.
public struct AdvancedCommerceItem: Hashable, Sendable {
    /// Every member as it was signed, the unknown ones too.
    public let fields: JSONObject

    /// The developer's own name of the item.
    public let sku: String?

    /// Names for the customer.
    public let descriptors: AdvancedCommerceDescriptors

    /// Thousandths of the enclosing currency.
    public let priceMilli: Int64?

    /// The lower price, if any.
    public let offer: AdvancedCommerceOffer?

    /// Only in transactions.
    public let refunds: [AdvancedCommerceRefund]?

    /// Only in transactions.
    public let revocationDate: Instant?

    /// Only in renewals.
    public let priceIncrease: AdvancedCommercePriceIncrease?

    init(_ fields: JSONObject, _ reader: FieldReader) throws(PayloadError) {
        self.fields = fields
        sku = try reader.text("SKU")
        descriptors = try AdvancedCommerceDescriptors(fields, reader)
        priceMilli = try reader.integer("price")
        offer = try reader.object("offer", AdvancedCommerceOffer.init)
        refunds = try reader.objects("refunds", AdvancedCommerceRefund.init)
        revocationDate = try reader.instant("revocationDate")
        priceIncrease = try reader.object(
            "priceIncreaseInfo", AdvancedCommercePriceIncrease.init)
    }
}

/// What a transaction says about an Advanced Commerce purchase (since version 1.14 of the API).
public struct TransactionAdvancedCommerce: Hashable, Sendable {
    /// Every member as it was signed, the unknown ones too.
    public let fields: JSONObject

    /// Names for the customer.
    public let descriptors: AdvancedCommerceDescriptors?

    /// Thousandths of the enclosing currency.
    public let estimatedTaxMilli: Int64?

    /// Thousandths of the enclosing currency.
    public let taxExclusivePriceMilli: Int64?

    /// A decimal fraction as text, for example `0.15`.
    public let taxRate: String?

    /// Apple's tax category.
    public let taxCode: String?

    /// An ISO 8601 duration.
    public let period: String?

    /// The developer's own reference of the request.
    public let requestReferenceID: String?

    /// What was bought together.
    public let items: [AdvancedCommerceItem]?

    init(_ fields: JSONObject, _ reader: FieldReader) throws(PayloadError) {
        self.fields = fields
        descriptors = try reader.lenient.object("descriptors", AdvancedCommerceDescriptors.init)
        estimatedTaxMilli = try reader.integer("estimatedTax")
        taxExclusivePriceMilli = try reader.integer("taxExclusivePrice")
        taxRate = try reader.lenient.text("taxRate")
        taxCode = try reader.lenient.text("taxCode")
        period = try reader.text("period")
        requestReferenceID = try reader.text("requestReferenceId")
        items = try reader.objects("items", AdvancedCommerceItem.init)
    }
}

/// What a renewal says about an Advanced Commerce subscription (since version 1.14 of the API).
public struct RenewalAdvancedCommerce: Hashable, Sendable {
    /// Every member as it was signed, the unknown ones too.
    public let fields: JSONObject

    /// Handed back to Apple with the next request.
    public let consistencyToken: String?

    /// Names for the customer.
    public let descriptors: AdvancedCommerceDescriptors?

    /// An ISO 8601 duration.
    public let period: String?

    /// Apple's tax category.
    public let taxCode: String?

    /// The developer's own reference of the request.
    public let requestReferenceID: String?

    /// What was bought together.
    public let items: [AdvancedCommerceItem]?

    init(_ fields: JSONObject, _ reader: FieldReader) throws(PayloadError) {
        self.fields = fields
        consistencyToken = try reader.lenient.text("consistencyToken")
        descriptors = try reader.lenient.object("descriptors", AdvancedCommerceDescriptors.init)
        period = try reader.text("period")
        taxCode = try reader.lenient.text("taxCode")
        requestReferenceID = try reader.text("requestReferenceId")
        items = try reader.objects("items", AdvancedCommerceItem.init)
    }
}
