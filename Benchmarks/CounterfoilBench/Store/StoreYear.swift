// SPDX-License-Identifier: Apache-2.0
import CounterfoilApple
import CounterfoilCore
import CounterfoilSimulator

/// A year of the simulated App Store with many subscribers, none of them served.
///
/// Every third subscriber pays by the month after a trial, the others by the week, the month or the
/// year; some have a card that fails, some leave, some come back.
struct StoreYear {
    private(set) var notifications = 0
    private(set) var transactions = 0
    private(set) var usage = Usage(seconds: 0, processorSeconds: 0, bytesWritten: 0)

    private static let start = Instant(secondsSinceEpoch: 1_767_225_600)
    private static let days: Int64 = 365

    init(subscribers: Int, progress: (String) -> Void) throws {
        var settings = StoreSettings(bundleID: "com.example.game", environment: .production)
        settings.graceDays = 16
        var store = SimulatedStore(
            catalog: try Self.catalog(), settings: settings, now: Self.start,
            random: CountingSource())
        let before = try Usage.ofThread()
        var originals: [String] = []
        for number in 0..<subscribers {
            originals.append(try Self.subscribe(number, in: &store))
        }
        var count = store.takeNotifications().count
        for week in 1...(Self.days / 7) {
            try Self.act(week, originals, in: &store)
            try store.advance(to: Self.start + .seconds(week * 7 * 86_400)) { _ in count += 1 }
            if week % 13 == 0 { progress("week \(week): \(count) notifications") }
        }
        notifications = count
        transactions = store.transactionCount
        usage = try Usage.ofThread() - before
    }

    private static func subscribe(
        _ number: Int, in store: inout SimulatedStore
    ) throws -> String {
        let name = "account \(number)"
        try store.createAccount(name)
        let outcome = try store.buy(products[number % products.count], by: name)
        return outcome.transaction?.transactionID ?? ""
    }

    /// In each week a hundredth of the subscribers do something.
    private static func act(
        _ week: Int64, _ originals: [String], in store: inout SimulatedStore
    ) throws {
        for number in stride(from: Int(week), to: originals.count, by: 100) {
            let (name, id) = ("account \(number)", originals[number])
            switch (number + Int(week)) % 5 {
            case 0: try store.setBillingFailing(true, of: name)
            case 1: try? store.setAutoRenew(false, of: id)
            case 2: try? store.resolveBilling(id)
            case 3: _ = try? store.buy(products[(number + 1) % products.count], by: name)
            default: try? store.refund(id)
            }
        }
    }

    private static let products = ["gold.month", "gold.week", "gold.month.trial", "gold.year"]

    private static func catalog() throws -> StoreCatalog {
        let periods: [(String, StorePeriod)] = [
            ("gold.month", .month), ("gold.week", .week), ("gold.month.trial", .month),
            ("gold.year", .year),
        ]
        return try StoreCatalog(
            products: periods.map { id, period in
                var terms = SubscriptionTerms(groupID: "gold", period: period)
                if id == "gold.month.trial" {
                    terms.introductoryOffers = [
                        StoreOffer(kind: .introductory, mode: .freeTrial, period: .week)
                    ]
                }
                return StoreProduct(
                    id: id, kind: .autoRenewableSubscription, priceMilli: 9990,
                    subscription: terms)
            }, groups: [SubscriptionGroup(id: "gold", name: "gold")])
    }

    /// What is printed.
    func report(subscribers: Int, residentMegabytes: Int64) -> String {
        let rate = Double(notifications) / max(usage.seconds, 0.001)
        return """
            simulated year: \(subscribers) subscribers, \(transactions) transactions, \
            \(notifications) notifications in \(Int(usage.seconds * 10)) tenths of a second \
            (\(Int(rate)) a second), \(residentMegabytes) MB resident at most

            """
    }
}

/// Ids that need no randomness to differ. Sendable since the store is confined to the measuring thread,
/// and its source with it.
private final class CountingSource: RandomSource, @unchecked Sendable {
    private var count: UInt64 = 0

    func bytes(_ count: Int) -> [UInt8] {
        self.count &+= 0x9E37_79B9_7F4A_7C15
        let number = self.count
        return (0..<count).map { UInt8(truncatingIfNeeded: number >> UInt64($0 % 8 * 8)) }
    }
}
