// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
package import CounterfoilHTTP

/// An error of the App Store Server API: a number whose first three digits are the HTTP status.
package struct APIError: Error, Hashable, Sendable {
    package let code: Int64
    package let message: String

    package init(_ code: Int64, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The answer that carries it.
    package var response: HTTPResponse {
        .json(
            ["errorCode": .integer(code), "errorMessage": .string(message)],
            status: Int(code / 10_000))
    }

    package static let badRequest = APIError(4_000_000, "Bad request.")
    package static let invalidRequestRevision = APIError(4_000_005, "Invalid request revision.")
    package static let invalidTransactionID = APIError(4_000_006, "Invalid transaction id.")
    package static let invalidOriginalTransactionID = APIError(
        4_000_008, "Invalid original transaction id.")
    package static let invalidExtendByDays = APIError(
        4_000_009, "Invalid extend by days value.")
    package static let invalidExtendReasonCode = APIError(
        4_000_010, "Invalid extend reason code.")
    package static let invalidRequestIdentifier = APIError(
        4_000_011, "Invalid request identifier.")
    package static let startDateTooFarInPast = APIError(
        4_000_012, "Start date is too far in the past.")
    package static let startDateAfterEndDate = APIError(
        4_000_013, "Start date must be before end date.")
    package static let invalidPaginationToken = APIError(
        4_000_014, "Invalid pagination token.")
    package static let invalidStartDate = APIError(4_000_015, "Invalid start date.")
    package static let invalidEndDate = APIError(4_000_016, "Invalid end date.")
    package static let paginationTokenExpired = APIError(
        4_000_017, "Pagination token expired.")
    package static let invalidNotificationType = APIError(
        4_000_018, "Invalid notification type or subtype.")
    package static let multipleFiltersSupplied = APIError(
        4_000_019, "Multiple filters are not supported.")
    package static let invalidTestNotificationToken = APIError(
        4_000_020, "Invalid test notification token.")
    package static let invalidSort = APIError(4_000_021, "Invalid sort order.")
    package static let invalidProductType = APIError(4_000_022, "Invalid product type.")
    package static let invalidProductID = APIError(4_000_023, "Invalid product id.")
    package static let invalidSubscriptionGroup = APIError(
        4_000_024, "Invalid subscription group identifier.")
    package static let invalidExcludeRevoked = APIError(
        4_000_025, "Invalid exclude revoked value.")
    package static let invalidOwnershipType = APIError(
        4_000_026, "Invalid in-app ownership type.")
    package static let emptyStorefrontList = APIError(
        4_000_027, "Invalid empty storefront country code list.")
    package static let invalidStorefront = APIError(
        4_000_028, "Invalid storefront country code.")
    package static let invalidRevoked = APIError(4_000_030, "Invalid revoked value.")
    package static let invalidStatus = APIError(4_000_031, "Invalid subscription status.")
    package static let transactionTypeNotSupported = APIError(
        4_000_047, "Transaction type is not supported.")
    package static let appTransactionIDNotSupported = APIError(
        4_000_048, "App transaction id is not supported.")
    package static let invalidAppAccountToken = APIError(
        4_000_183, "The app account token must be a UUID.")
    package static let familyTransactionNotSupported = APIError(
        4_000_185, "Family shared transactions are not supported.")
    package static let notOriginalTransactionID = APIError(
        4_000_187, "The transaction id must be an original transaction id.")
    package static let extensionIneligible = APIError(
        4_030_004, "The subscription is not eligible for a renewal date extension.")
    package static let maximumExtensions = APIError(
        4_030_005, "The subscription received the most renewal date extensions.")
    package static let familyExtensionIneligible = APIError(
        4_030_007, "A subscription from Family Sharing cannot be extended.")
    package static let accountNotFound = APIError(4_040_001, "Account not found.")
    package static let appNotFound = APIError(4_040_003, "App not found.")
    package static let originalTransactionIDNotFound = APIError(
        4_040_005, "Original transaction id not found.")
    package static let notificationURLNotFound = APIError(
        4_040_007, "No App Store Server Notification URL found for the app.")
    package static let testNotificationNotFound = APIError(
        4_040_008,
        "Either the test notification token is expired or the notification and its status "
            + "are not yet available.")
    package static let statusRequestNotFound = APIError(
        4_040_009,
        "The server didn't find a subscription-renewal-date extension request for this "
            + "requestIdentifier and productId combination.")
    package static let transactionIDNotFound = APIError(
        4_040_010, "Transaction id not found.")
    package static let appTransactionDoesNotExist = APIError(
        4_040_019, "App transaction does not exist.")
    package static let rateLimitExceeded = APIError(4_290_000, "Rate limit exceeded.")
    package static let generalInternal = APIError(5_000_000, "An unknown error occurred.")
    package static let generalInternalRetryable = APIError(
        5_000_001, "An unknown error occurred. Please try again.")

    /// Numbers 4000032 to 4000042: one field of version 1 of the consumption data each.
    package static func invalidConsumption(_ field: ConsumptionField) -> APIError {
        APIError(field.rawValue, "Invalid request: \(field) is invalid.")
    }

    /// A field of the consumption data and the number of the error about it.
    package enum ConsumptionField: Int64, Sendable, CaseIterable {
        case accountTenure = 4_000_032
        case appAccountToken = 4_000_033
        case consumptionStatus = 4_000_034
        case customerConsented = 4_000_035
        case deliveryStatus = 4_000_036
        case lifetimeDollarsPurchased = 4_000_037
        case lifetimeDollarsRefunded = 4_000_038
        case platform = 4_000_039
        case playTime = 4_000_040
        case sampleContentProvided = 4_000_041
        case userStatus = 4_000_042
    }
}

extension HTTPResponse {
    static func text(_ text: String, status: Int) -> HTTPResponse {
        HTTPResponse(
            status: status, headers: ["Content-Type": "text/plain; charset=utf-8"],
            body: Array(text.utf8))
    }
}
