// SPDX-License-Identifier: Apache-2.0
import CounterfoilApple
import CounterfoilCore

extension SimulatedStore {
    /// Makes a family of accounts that are in none; the first one organizes it.
    ///
    /// - Throws: `account.unknown`, `family.member`, `family.full`.
    public mutating func createFamily(_ members: [String]) throws(StoreError) {
        guard (1...Limits.maximumFamilySize).contains(members.count) else {
            throw StoreError(
                .familyFull, "a family has up to \(Limits.maximumFamilySize) members")
        }
        var positions: [Int32] = []
        for member in members {
            let position = try accountPosition(member)
            guard accounts[position].family < 0, !positions.contains(Int32(position)) else {
                throw StoreError(.familyMember, "\(member) is in a family already")
            }
            positions.append(Int32(position))
        }
        for position in positions { accounts[Int(position)].family = Int32(families.count) }
        families.append(FamilyRecord(organizer: positions[0], members: positions))
    }

    /// Adds an account to another's family; what is shared there reaches it with the next
    /// ``shareWithFamily(_:)``.
    ///
    /// - Throws: `account.unknown`, `family.member`, `family.not_member`, `family.full`.
    public mutating func join(_ account: String, familyOf other: String) throws(StoreError) {
        let position = try accountPosition(account)
        let family = try familyPosition(of: other)
        guard accounts[position].family < 0 else {
            throw StoreError(.familyMember, "\(account) is in a family already")
        }
        guard families[family].members.count < Limits.maximumFamilySize else {
            throw StoreError(
                .familyFull, "a family has up to \(Limits.maximumFamilySize) members")
        }
        accounts[position].family = Int32(family)
        families[family].members.append(Int32(position))
    }

    /// An account leaves its family: what it was shared, and what it shared, is revoked.
    ///
    /// - Throws: `account.unknown`, `family.not_member`.
    public mutating func leaveFamily(_ account: String) throws(StoreError) {
        let position = try accountPosition(account)
        let family = try familyPosition(of: account)
        families[family].members.removeAll { $0 == Int32(position) }
        accounts[position].family = -1
        for transaction in accounts[position].transactions.map({ Int($0) }) {
            if transactions[transaction].sharedFrom >= 0 {
                endSharing(of: transaction)
            } else {
                for copy in sharedCopies[Int32(transaction)] ?? [] { endSharing(of: Int(copy)) }
            }
        }
    }

    /// The buyer shares a purchase: every member who has no copy gets one, announced as
    /// `ONE_TIME_CHARGE` or `SUBSCRIBED/INITIAL_BUY`. Returns the copies' ids.
    ///
    /// - Throws: `transaction.unknown`, `transaction.family_shared`, `transaction.already_refunded`,
    ///   `family.not_shareable`, `family.not_member`, `subscription.state` where it has ended.
    @discardableResult
    public mutating func shareWithFamily(
        _ transactionID: String
    ) throws(StoreError) -> [String] {
        let given = try transactionPosition(transactionID)
        guard transactions[given].sharedFrom < 0 else {
            throw StoreError(.transactionShared, "only the buyer shares")
        }
        let subscription = subscriptionPosition(of: given)
        if let subscription, !subscriptions[subscription].state.isOpen {
            throw wrongState(subscription, "it has ended", allowed: ["active", "grace", "retry"])
        }
        let source = subscription.map { Int(subscriptions[$0].latest) } ?? given
        guard shelf[Int(transactions[source].product)].product.isFamilyShareable else {
            throw StoreError(.familyNotShareable, "the product is not for families")
        }
        guard transactions[source].revocation == nil else {
            throw StoreError(.transactionRefunded, "the transaction was taken back")
        }
        let buyer = transactions[source].account
        let family = try familyPosition(of: accounts[Int(buyer)].name)
        var copies: [String] = []
        for member in families[family].members where member != buyer {
            guard let copy = share(source, subscription, with: Int(member)) else { continue }
            copies.append(idOfTransaction(copy))
        }
        return copies
    }

    /// The buyer stops sharing a purchase: `REVOKE` for every copy of it, or for one member's.
    ///
    /// - Throws: `transaction.unknown`, `account.unknown`, `family.not_member` where nothing is shared.
    public mutating func revokeFamily(
        _ transactionID: String, member: String? = nil
    ) throws(StoreError) {
        let given = try transactionPosition(transactionID)
        let account = try member.map { name throws(StoreError) in
            Int32(try accountPosition(name))
        }
        let original = transactions[given].original
        let chain = accounts[Int(transactions[given].account)].transactions
            .filter { transactions[Int($0)].original == original }
        let copies = (chain.flatMap { sharedCopies[$0] ?? [] } + [Int32(given)])
            .map { Int($0) }
            .filter {
                transactions[$0].sharedFrom >= 0 && transactions[$0].revocation == nil
                    && (account == nil || transactions[$0].account == account)
                    && isNewestCopy($0)
            }
        guard !copies.isEmpty else {
            throw StoreError(.familyNotMember, "the transaction is shared with nobody")
        }
        for copy in copies { endSharing(of: copy) }
    }

    private mutating func share(_ source: Int, _ subscription: Int?, with member: Int) -> Int? {
        guard let subscription else {
            let hasCopy = (sharedCopies[Int32(source)] ?? []).contains {
                transactions[Int($0)].account == member && transactions[Int($0)].revocation == nil
            }
            guard !hasCopy else { return nil }
            let copy = addShared(source, to: member)
            announce(.oneTimeCharge, transaction: copy)
            return copy
        }
        let known = (followers[Int32(subscription)] ?? []).first {
            subscriptions[Int($0)].account == member
        }
        if let known, subscriptions[Int(known)].state != .revoked { return nil }
        let original = known.map { subscriptions[Int($0)].original }
        let copy = addShared(source, to: member, original: original)
        let position = known.map { Int($0) } ?? addFollower(of: subscription, member, copy)
        subscriptions[position].latest = Int32(copy)
        subscriptions[position].state = subscriptions[subscription].state
        follow(position, subscription)
        announce(.subscribed, known == nil ? .initialBuy : .resubscribe, subscription: position)
        return copy
    }

    private mutating func addFollower(
        of leader: Int, _ member: Int, _ transaction: Int
    ) -> Int {
        var record = subscriptions[leader]
        record.account = Int32(member)
        record.original = Int32(transaction)
        record.latest = Int32(transaction)
        record.sharedFrom = Int32(leader)
        record.token = nil
        record.streakStart = now
        record.pendingPriceMilli = nil
        record.priceConsent = .none
        record.offer = -1
        record.offerPeriodsLeft = 0
        record.nextOffer = -1
        let position = subscriptions.count
        subscriptions.append(record)
        accounts[member].subscriptions.append(Int32(position))
        followers[Int32(leader), default: []].append(Int32(position))
        return position
    }

    /// Older periods stay as they are; only what gives access now is taken away.
    private func isNewestCopy(_ transaction: Int) -> Bool {
        guard let position = subscriptionPosition(of: transaction) else { return true }
        return Int(subscriptions[position].latest) == transaction
    }

    private mutating func endSharing(of copy: Int) {
        guard isNewestCopy(copy) else { return }
        if let position = subscriptionPosition(of: copy), !subscriptions[position].state.isOpen {
            return
        }
        revokeShared(copy, at: now)
    }

    private func familyPosition(of account: String) throws(StoreError) -> Int {
        let family = accounts[try accountPosition(account)].family
        guard family >= 0 else {
            throw StoreError(.familyNotMember, "\(account) is in no family")
        }
        return Int(family)
    }
}
