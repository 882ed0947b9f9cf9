// SPDX-License-Identifier: Apache-2.0

package import CounterfoilCore
package import CounterfoilDatabase
package import CounterfoilStore

/// What the game server says about goods that it was handed.
package enum GrantResult: String, CaseIterable, Sendable {
    /// The player has them.
    case delivered

    /// They cannot be given; a person should look.
    case rejected

    /// Not now; the grant stays due.
    case later
}

/// What became of an acknowledgement.
package enum AcknowledgementOutcome: Sendable {
    /// The grant stands as the game server said, now or since an earlier time.
    case recorded(GrantView)

    /// The grant is in a state that this result cannot follow.
    case refused(state: GrantState)
}

/// A grant as it is shown to the game server.
package struct GrantView: Sendable {
    package let grant: GrantRecord

    /// nil for a grant whose owner is not known.
    package let customer: CustomerID?
    package let goods: JSONValue

    /// The order that was paid, with the studio's own words about it; null where there was none.
    package let order: JSONValue
}

extension GrantState {
    /// The state after the game server's word, or nil where it cannot be said.
    ///
    /// Saying the same again changes nothing. What was delivered stays so; what was rejected may
    /// still be delivered, by a person who repaired the cause.
    package func after(_ result: GrantResult) -> GrantState? {
        switch (self, result) {
        case (.due, .delivered), (.sent, .delivered), (.rejected, .delivered): .delivered
        case (.delivered, .delivered): .delivered
        case (.due, .rejected), (.sent, .rejected), (.rejected, .rejected): .rejected
        case (.due, .later), (.sent, .later): .due
        case (.delivered, .rejected), (.delivered, .later), (.rejected, .later): nil
        case (.parked, _), (.withdrawn, _), (.deliveredElsewhere, _): nil
        }
    }
}

extension Engine {
    /// A grant, or nil if the app has none with this id.
    package func grant(_ id: UniqueID, of app: AppID) async throws -> GrantView? {
        try await database.read { transaction in
            try transaction.grant(app, id: id).map { try GrantView($0, in: transaction) }
        }
    }

    /// Grants of one state, the oldest first, those behind `after`.
    ///
    /// A grant may come to the state later than others that stand behind it, so whoever waits for new
    /// ones asks from the beginning.
    package func grants(
        of app: AppID, in environment: AppStoreEnvironment, state: GrantState,
        after: GrantPlace?, limit: Int64
    ) async throws -> [GrantView] {
        try await database.read { transaction in
            try transaction.grants(
                app, environment, in: state, after: after, limit: min(limit, Limits.pageSize)
            ).map { try GrantView($0, in: transaction) }
        }
    }

    /// Records what the game server did with the goods of a grant.
    ///
    /// It tells of delivery only and never moves the ledger. The id is the key: saying the same again
    /// changes nothing and returns what stands, whatever the note. A state that is reached without a
    /// note keeps the earlier one.
    ///
    /// - Returns: nil if the app has no such grant.
    package func acknowledge(
        _ id: UniqueID, of app: AppID, _ result: GrantResult, note: String?,
        in transaction: any WriteTransaction
    ) throws -> AcknowledgementOutcome? {
        guard let found = try transaction.grant(app, id: id) else { return nil }
        try transaction.lock(.sale(found.sale))
        guard var grant = try transaction.grant(found.sale, revision: found.revision) else {
            return nil
        }
        guard let next = grant.state.after(result) else { return .refused(state: grant.state) }
        // That it will be done later changes no state; its first note is kept all the same.
        let isFirstNote = result == .later && grant.note == nil && note != nil
        if next != grant.state || isFirstNote {
            grant.state = next
            grant.note = note ?? grant.note
            grant.updatedAt = clock.now
            try transaction.save(grant)
        }
        return .recorded(try GrantView(grant, in: transaction))
    }
}

extension GrantView {
    init(_ grant: GrantRecord, in transaction: any ReadTransaction) throws {
        self.grant = grant
        customer = try grant.customer.flatMap { try transaction.currentCustomerID($0) }
        goods = try grant.goods.map { try JSONValue(parsing: $0.utf8) } ?? .array([])
        order =
            try grant.order.flatMap { try transaction.order(grant.sale.app, id: $0) }?
            .referenceJSON ?? .null
    }
}
