// SPDX-License-Identifier: Apache-2.0
public import CounterfoilApple
public import CounterfoilCore

extension SimulatedStore {
    /// A customer asks for a refund: `CONSUMPTION_REQUEST`. Asking again is a new notification with a
    /// new id, as Apple sends several of them for one refund.
    ///
    /// - Throws: `transaction.unknown`, `transaction.family_shared`, `transaction.already_refunded`.
    public mutating func requestRefund(
        _ transactionID: String, reason: ConsumptionRequestReason = .unintendedPurchase
    ) throws(StoreError) {
        let position = try refundablePosition(transactionID)
        var refund =
            refundCases[Int32(position)]
            ?? RefundCase(
                transactionID: transactionID, reason: reason, requestedAt: now, requests: [],
                deadline: now, answers: [])
        guard refund.requests.count < Limits.maximumConsumptionRequests else { return }
        announce(.consumptionRequest, transaction: position, reason: refund.reason)
        if let id = outbox.last?.id { refund.requests.append(id) }
        refund.deadline = now + RefundRules.answerTime
        refundCases[Int32(position)] = refund
    }

    /// Keeps what a server answers to a request for consumption data; nothing is announced.
    ///
    /// - Throws: `transaction.unknown`, `refund.not_requested`.
    public mutating func answerConsumption(
        _ transactionID: String, _ answer: JSONValue
    ) throws(StoreError) {
        let position = Int32(try transactionPosition(transactionID))
        guard let refund = refundCases[position] else { throw notRequested(transactionID) }
        guard refund.answers.count < Limits.maximumConsumptionRequests else { return }
        refundCases[position]?.answers.append(answer)
    }

    /// The refunds that are asked for and not decided, by transaction.
    public var openRefunds: [RefundCase] {
        refundCases.sorted { $0.key < $1.key }.map(\.value)
    }

    /// Gives money back: `REFUND`. Nobody needs to have asked.
    ///
    /// Of a subscription's running period it ends the subscription and turns renewal off
    /// (`DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED`); of an older period it ends nothing. Family
    /// members lose their copies: `REVOKE`.
    /// - Throws: `transaction.unknown`, `transaction.family_shared`, `transaction.already_refunded`,
    ///   `refund.share`.
    public mutating func refund(
        _ transactionID: String, _ terms: RefundTerms = RefundTerms()
    ) throws(StoreError) {
        let position = try refundablePosition(transactionID)
        let percentage = try percentageMilli(of: terms.share, position)
        let revocation = TransactionRecord.Revocation(
            date: terms.date ?? now, reason: terms.reason.rawValue,
            type: percentage == RefundRules.wholeMilli ? .full : .prorated,
            percentageMilli: Int32(percentage))
        transactions[position].revocation = revocation
        refundCases[Int32(position)] = nil
        touch(position)
        let ended = endRefundedPeriod(position)
        announce(.refund, transaction: position)
        if let ended { turnOff(ended) }
        for copy in sharedCopies[Int32(position)] ?? [] {
            revokeShared(Int(copy), at: revocation.date, copying: revocation)
        }
    }

    /// Apple refuses what the customer asked for: `REFUND_DECLINED`.
    ///
    /// - Throws: `transaction.unknown`, `refund.not_requested`.
    public mutating func declineRefund(_ transactionID: String) throws(StoreError) {
        let position = try transactionPosition(transactionID)
        guard refundCases.removeValue(forKey: Int32(position)) != nil else {
            throw notRequested(transactionID)
        }
        announce(.refundDeclined, transaction: position)
    }

    /// A refund is undone after a dispute: `REFUND_REVERSED`, and the revocation vanishes. A period
    /// that still runs gives access again, with renewal off; a family gets it when it is shared again.
    ///
    /// - Throws: `transaction.unknown`, `transaction.not_refunded`.
    public mutating func reverseRefund(_ transactionID: String) throws(StoreError) {
        let position = try transactionPosition(transactionID)
        guard let revocation = transactions[position].revocation, revocation.type != .family
        else {
            throw StoreError(
                .transactionNotRefunded, "transaction \(transactionID) was not refunded",
                allowed: ["refund"])
        }
        transactions[position].revocation = nil
        touch(position)
        if let subscription = subscriptionPosition(of: position),
            Int(subscriptions[subscription].latest) == position,
            subscriptions[subscription].state == .revoked
        {
            let runs = subscriptions[subscription].periodEnd > now
            subscriptions[subscription].state = runs ? .active : .expired
            if runs {
                subscriptions[subscription].endedAt = nil
            } else {
                subscriptions[subscription].expirationIntent =
                    ExpirationIntent.other.rawValue
            }
            schedule(subscription)
        }
        announce(.refundReversed, transaction: position)
    }

    /// The subscription that the refund ended, if it was of the running period; what was refunded before
    /// it began leaves the running one.
    private mutating func endRefundedPeriod(_ position: Int) -> Int? {
        guard let subscription = subscriptionPosition(of: position),
            Int(subscriptions[subscription].latest) == position,
            subscriptions[subscription].state.isOpen
        else { return nil }
        let running = unendedTransactions(of: subscription).last {
            transactions[$0].revocation == nil
                && transactions[$0].flags.isDisjoint(with: [.isUpgraded, .isRestored])
        }
        if let running, let end = transactions[running].expires {
            subscriptions[subscription].latest = Int32(running)
            subscriptions[subscription].periodEnd = end
            subscriptions[subscription].anchorPeriod = nil
        } else {
            subscriptions[subscription].state = .revoked
            subscriptions[subscription].endedAt = now
            subscriptions[subscription].graceEnd = nil
            subscriptions[subscription].retryEnd = nil
        }
        subscriptions[subscription].offerPeriodsLeft = 0
        subscriptions[subscription].nextProduct = subscriptions[subscription].product
        subscriptions[subscription].nextOffer = -1
        schedule(subscription)
        return subscription
    }

    private func refundablePosition(_ transactionID: String) throws(StoreError) -> Int {
        let position = try transactionPosition(transactionID)
        guard transactions[position].sharedFrom < 0 else {
            throw StoreError(
                .transactionShared, "transaction \(transactionID) was not paid for",
                allowed: [idOfTransaction(Int(transactions[position].sharedFrom))])
        }
        guard transactions[position].revocation == nil else {
            throw StoreError(
                .transactionRefunded, "transaction \(transactionID) was refunded before",
                allowed: ["reverseRefund"])
        }
        return position
    }

    private func percentageMilli(
        of share: RefundTerms.Share, _ position: Int
    ) throws(StoreError) -> Int64 {
        let record = transactions[position]
        switch share {
        case .full: return RefundRules.wholeMilli
        case .percentage(let milli):
            guard (1...RefundRules.wholeMilli).contains(milli) else {
                throw StoreError(
                    .refundShare, "\(milli) is no share", allowed: ["1…\(RefundRules.wholeMilli)"])
            }
            return milli
        case .quantity(let count):
            guard (1...Int64(record.quantity)).contains(count) else {
                throw StoreError(
                    .refundShare, "\(record.quantity) were bought",
                    allowed: ["1…\(record.quantity)"])
            }
            return (count * RefundRules.wholeMilli + Int64(record.quantity) / 2)
                / Int64(record.quantity)
        case .timeLeft:
            guard let end = record.expires, end > now, end > record.purchased else {
                throw StoreError(.refundShare, "no time is left", allowed: ["full", "percentage"])
            }
            let left = end.since(max(now, record.purchased)).wholeMilliseconds
            let whole = end.since(record.purchased).wholeMilliseconds
            // In seconds, so that a century stays inside 64 bits.
            return max(1, left / 1000 * RefundRules.wholeMilli / max(whole / 1000, 1))
        }
    }

    private func notRequested(_ transactionID: String) -> StoreError {
        StoreError(
            .refundNotRequested, "nobody asked for a refund of \(transactionID)",
            allowed: ["requestRefund"] + openRefunds.map(\.transactionID))
    }
}

/// What Apple fixed about refunds.
enum RefundRules {
    static let wholeMilli: Int64 = 100_000

    /// Servers answer within twelve hours.
    static let answerTime = Duration.seconds(12 * 3600)
}
