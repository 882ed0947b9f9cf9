// SPDX-License-Identifier: Apache-2.0
import CounterfoilApple
import CounterfoilCore

/// Family members' subscriptions do whatever the buyer's does.
extension SimulatedStore {
    /// Announces for the buyer and then for each member whom it concerns.
    mutating func tell(
        _ type: NotificationType, _ subtype: NotificationSubtype?, _ position: Int
    ) {
        announce(type, subtype, subscription: position)
        guard !followers.isEmpty, let members = followers[Int32(position)] else { return }
        let family = accounts[Int(subscriptions[position].account)].family
        for member in members.map({ Int($0) })
        where subscriptions[member].state != .revoked && family >= 0
            && accounts[Int(subscriptions[member].account)].family == family
        {
            guard shelf[Int(subscriptions[position].product)].product.isFamilyShareable else {
                revokeShared(Int(subscriptions[member].latest), at: now)
                continue
            }
            follow(member, position)
            if type == .offerRedeemed && subtype == nil {
                announce(.didRenew, subscription: member)
            } else {
                announce(type, subtype, subscription: member)
            }
        }
    }

    /// Copies the buyer's state, and the newest transaction where the member has no copy of it.
    mutating func follow(_ member: Int, _ leader: Int) {
        let source = subscriptions[leader]
        let latest = Int(subscriptions[member].latest)
        if transactions[latest].sharedFrom != source.latest {
            if transactions[Int(transactions[latest].sharedFrom)].flags.contains(.isUpgraded) {
                transactions[latest].flags.insert(.isUpgraded)
                transactions[latest].upgraded = now
                touch(latest)
            }
            let copy = addShared(
                Int(source.latest), to: Int(subscriptions[member].account),
                original: subscriptions[member].original)
            subscriptions[member].latest = Int32(copy)
        } else if transactions[latest].expires != transactions[Int(source.latest)].expires {
            transactions[latest].expires = transactions[Int(source.latest)].expires
            touch(latest)
        }
        copyState(of: source, to: member)
    }

    private mutating func copyState(of source: SubscriptionRecord, to member: Int) {
        subscriptions[member].product = source.product
        subscriptions[member].nextProduct = source.nextProduct
        subscriptions[member].state = source.state
        subscriptions[member].flags = source.flags.intersection([.autoRenews, .isMonthly])
        subscriptions[member].periodEnd = source.periodEnd
        subscriptions[member].graceEnd = source.graceEnd
        subscriptions[member].retryEnd = source.retryEnd
        subscriptions[member].endedAt = source.endedAt
        subscriptions[member].expirationIntent = source.expirationIntent
    }

    /// The member's copy of a transaction.
    mutating func addShared(_ source: Int, to account: Int, original: Int32? = nil) -> Int {
        let bought = transactions[source]
        let position = transactions.count
        var record = TransactionRecord(
            original: original ?? Int32(position), account: Int32(account),
            product: bought.product, storefront: accounts[account].storefront,
            purchased: bought.purchased)
        record.sharedFrom = Int32(source)
        record.expires = bought.expires
        record.flags = bought.flags.intersection([.isRenewal])
        record.flags.insert(.isShared)
        if bought.line >= 0 { record.line = Int32(position) }
        sharedCopies[Int32(source), default: []].append(Int32(position))
        return add(record)
    }

    /// Takes a member's copy away: `REVOKE`.
    mutating func revokeShared(
        _ transaction: Int, at date: Instant, copying source: TransactionRecord.Revocation? = nil
    ) {
        guard transactions[transaction].revocation == nil else { return }
        transactions[transaction].revocation = TransactionRecord.Revocation(
            date: date, reason: source?.reason ?? 0, type: .family, percentageMilli: nil)
        touch(transaction)
        if let position = subscriptionPosition(of: transaction),
            Int(subscriptions[position].latest) == transaction
        {
            subscriptions[position].state = .revoked
            subscriptions[position].endedAt = date
            subscriptions[position].flags.remove(.autoRenews)
        }
        announce(.revoke, transaction: transaction)
    }
}
