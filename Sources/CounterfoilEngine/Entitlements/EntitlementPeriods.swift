// SPDX-License-Identifier: Apache-2.0

package import CounterfoilCore
package import CounterfoilStore

/// The times at which a customer's rights begin and end, computed from the sales that give them.
enum EntitlementPeriods {
    /// Lays the periods out anew and returns those that changed.
    ///
    /// Periods of one product stack in the order of purchase date and transaction id: one bought while
    /// another runs begins when that ends. Revoked ones take no room. Every period of the product
    /// must be in the list; the result does not depend on its order.
    ///
    /// Months are counted from the start of the whole run, as the App Store does from its anchor: three
    /// from 31 January end on 30 April, not on the day that a short February left of them, whether
    /// they were bought as pieces of one sale or one behind the other.
    static func changed(
        in periods: [EntitlementPeriodRecord]
    ) -> [EntitlementPeriodRecord] {
        var changed: [EntitlementPeriodRecord] = []
        let stacks = Dictionary(grouping: periods) { Stack(product: $0.productID, $0.entitlement) }
        for (_, stack) in stacks.sorted(by: { $0.key < $1.key }) {
            var run: Run?
            for period in stack.sorted(by: isBoughtBefore) {
                var laidOut = period
                laidOut.startsAt = period.purchaseDate
                laidOut.endsAt = period.purchaseDate
                if !period.isRevoked {
                    let start = max(period.purchaseDate, run?.end ?? period.purchaseDate)
                    let next = Run(behind: run, period, from: start)
                    laidOut.startsAt = start
                    laidOut.endsAt = next?.end
                    run = next ?? run
                }
                if laidOut != period { changed.append(laidOut) }
            }
        }
        return changed
    }

    /// Periods of one length without a gap between them.
    private struct Run {
        private let anchor: Instant
        private let length: CalendarPeriod
        private let pieces: Int64

        var end: Instant { anchor + length * pieces }

        /// - Returns: nil for a period without an end.
        init?(behind run: Run?, _ period: EntitlementPeriodRecord, from start: Instant) {
            guard let length = period.duration.flatMap({ CalendarPeriod(iso8601: $0) }) else {
                return nil
            }
            let pieces = min(period.quantity, Limits.periodsPerSale)
            let goesOn = run.map { $0.end == start && $0.length == length } ?? false
            anchor = goesOn ? run?.anchor ?? start : start
            self.pieces = goesOn ? (run?.pieces ?? 0) + pieces : pieces
            self.length = length
        }
    }

    private struct Stack: Hashable, Comparable {
        let product: ProductID
        let entitlement: EntitlementID

        init(product: ProductID, _ entitlement: EntitlementID) {
            self.product = product
            self.entitlement = entitlement
        }

        static func < (lhs: Stack, rhs: Stack) -> Bool {
            (lhs.product, lhs.entitlement) < (rhs.product, rhs.entitlement)
        }
    }

    private static func isBoughtBefore(
        _ lhs: EntitlementPeriodRecord, _ rhs: EntitlementPeriodRecord
    ) -> Bool {
        (lhs.purchaseDate, lhs.transactionID) < (rhs.purchaseDate, rhs.transactionID)
    }
}

extension EntitlementPeriodRecord {
    /// What one of a sale's goods gives, before it is laid out among the others; nil for units.
    ///
    /// - Parameter purchaseDate: When the sale was made.
    init?(
        _ goods: Goods, _ record: TransactionRecord, of sale: SaleReference, to customer: UniqueID,
        boughtAt purchaseDate: Instant
    ) {
        guard case .entitlement(let id, let duration) = goods else { return nil }
        let identity = record.identity.value
        self.init(
            app: sale.app, environment: sale.environment, customer: customer, entitlement: id,
            sale: sale.key, productID: identity.productID, transactionID: record.transactionID,
            purchaseDate: purchaseDate, quantity: identity.quantity,
            duration: duration?.iso8601, isRevoked: false, startsAt: purchaseDate,
            endsAt: nil)
    }

    /// As it was before it was laid out.
    var unplaced: EntitlementPeriodRecord {
        var period = self
        period.startsAt = purchaseDate
        period.endsAt = nil
        return period
    }
}

/// A customer's right as it stands at a moment.
package struct Entitlement: Hashable, Sendable {
    package let id: EntitlementID
    package let isActive: Bool
    package let startsAt: Instant

    /// nil for ever.
    package let endsAt: Instant?

    /// The sales that give it, in order of purchase.
    package let sales: [String]

    /// The customer's rights, by id; those that were only ever revoked are not among them.
    package static func all(
        from periods: [EntitlementPeriodRecord], at now: Instant
    ) -> [Entitlement] {
        let byID = Dictionary(grouping: periods.filter { !$0.isRevoked }, by: \.entitlement)
        return byID.sorted { $0.key < $1.key }.compactMap { id, periods in
            guard let start = periods.map(\.startsAt).min() else { return nil }
            let ends = periods.map(\.endsAt)
            return Entitlement(
                id: id, isActive: periods.contains { $0.covers(now) }, startsAt: start,
                endsAt: ends.contains(nil) ? nil : ends.compactMap(\.self).max(),
                sales: periods.map(\.sale))
        }
    }

    package var json: JSONValue {
        [
            "entitlement": .string(id.rawValue), "active": .bool(isActive),
            "starts_at": .string(startsAt.rfc3339), "ends_at": .optional(endsAt?.rfc3339),
        ]
    }
}

extension EntitlementPeriodRecord {
    func covers(_ now: Instant) -> Bool {
        startsAt <= now && (endsAt.map { now < $0 } ?? true)
    }
}
