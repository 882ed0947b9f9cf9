// SPDX-License-Identifier: Apache-2.0

/// The bounds of the simulated App Store.
enum Limits {
    /// Ten times what App Store Connect allows for one app.
    static let maximumProducts = 100_000

    /// Product ids have at most 100 characters at Apple.
    static let maximumNameLength = 255

    /// A billion units of a currency: no sum of a quantity reaches 64 bits.
    static let maximumPriceMilli: Int64 = 1_000_000_000_000

    /// Apple allows 12 periods in an offer.
    static let maximumOfferPeriods: Int64 = 36

    /// A product has a few offers; positions of offers are kept in sixteen bits.
    static let maximumOffersPerProduct = 1000

    /// A purchase dated back makes at most so many periods where the store's rate shortens them.
    static let maximumPastPeriods: Int64 = 100

    /// Moving the clock by more than ten years at once is a slip of the pen.
    static let maximumAdvance = Duration.seconds(3660 * 86_400)

    /// Apple sells at most ten of a consumable in one payment.
    static let maximumQuantity: Int64 = 10

    /// Apple extends a renewal by at most 90 days at a time.
    static let maximumExtensionDays: Int64 = 90

    /// Apple shares with five others.
    static let maximumFamilySize = 6

    /// Apple sends several requests for data about one refund, but not endlessly.
    static let maximumConsumptionRequests = 100

    /// Request identifiers and other names that callers choose.
    static let maximumRequestIdentifierLength = 128

    /// Xcode's largest known file has 60 KB; a thousand products with texts in thirty languages stay below.
    static let maximumStoreKitFileByteCount = 16 << 20

    /// App Store Connect allows 4,000 characters in its longest text.
    static let maximumTextByteCount = 16_384

    /// Version 1 notifications list the latest hundred transactions.
    static let legacyTransactions = 100

    /// A refusal names no more than fits on a screen.
    static let maximumSuggestions = 20

    /// As Apple's pages have.
    static let transactionsPerPage = 20
    static let notificationsPerPage = 20

    /// Version 1 of the refund history has no pages.
    static let refundsInVersion1 = 50

    /// The tries that a notification history shows.
    static let attemptsInHistory = 6

    /// How far back a notification history reaches.
    static let historyDaysInProduction: Int64 = 180
    static let historyDaysInSandbox: Int64 = 30

    /// Notifications that the outbox remembers; a test looks at fewer, a long story forgets.
    static let maximumNotifications = 100_000

    /// Notifications that one answer shows.
    static let notificationsShown = 1000

    /// Reports about refunds that are remembered.
    static let maximumConsumptionReports = 10_000

    /// A story with more steps is a program.
    static let maximumScenarioSteps = 10_000
}
