// SPDX-License-Identifier: Apache-2.0
public import CounterfoilApple
import CounterfoilCore

struct ExternalTokenRecord: Sendable {
    var token: SimulatedNotification.Token
    var isReported = false
}

extension SimulatedStore {
    /// Makes a token for purchases outside the store. One for a custom link announces
    /// `EXTERNAL_PURCHASE_TOKEN/CREATED`; one that is not reported for ten days announces
    /// `EXTERNAL_PURCHASE_TOKEN/UNREPORTED`.
    ///
    /// - Parameter type: `ACQUISITION` or `SERVICES` for a custom link; nil for any other token.
    @discardableResult
    public mutating func createExternalToken(
        _ type: ExternalPurchaseTokenType? = nil
    ) -> SimulatedNotification.Token {
        let isSandbox = settings.environment != .production
        let lifetime = settings.timeRate.days(ExternalTokenRules.lifetimeDays)
        let token = SimulatedNotification.Token(
            externalPurchaseID: (isSandbox ? "SANDBOX_" : "") + UniqueID.random(random).description,
            creationDate: now, type: type, expirationDate: type.map { _ in now + lifetime })
        let position = externalTokens.count
        externalTokens.append(ExternalTokenRecord(token: token))
        if type != nil {
            announce(.externalPurchaseToken, .created, content: .externalPurchaseToken(token))
        }
        due.add(
            .externalToken, Int32(position),
            at: now + settings.timeRate.days(ExternalTokenRules.reportDays))
        return token
    }

    /// Apple reminds of a token that is still active: `EXTERNAL_PURCHASE_TOKEN/ACTIVE_TOKEN_REMINDER`.
    ///
    /// - Throws: `external_token.unknown`.
    public mutating func remindOfExternalToken(_ id: String) throws(StoreError) {
        let token = externalTokens[try externalTokenPosition(id)].token
        announce(
            .externalPurchaseToken, .activeTokenReminder, content: .externalPurchaseToken(token))
    }

    /// The developer reports a token's purchases, so that nothing more is asked. A repeat changes nothing.
    ///
    /// - Throws: `external_token.unknown`.
    public mutating func reportExternalToken(_ id: String) throws(StoreError) {
        externalTokens[try externalTokenPosition(id)].isReported = true
    }

    mutating func externalTokenIsDue(_ position: Int) {
        guard !externalTokens[position].isReported else { return }
        announce(
            .externalPurchaseToken, .unreported,
            content: .externalPurchaseToken(externalTokens[position].token))
    }

    private func externalTokenPosition(_ id: String) throws(StoreError) -> Int {
        guard let position = externalTokens.firstIndex(where: { $0.token.externalPurchaseID == id })
        else {
            throw StoreError(
                .tokenUnknown, "there is no token \(id)",
                allowed: externalTokens.map(\.token.externalPurchaseID))
        }
        return position
    }
}

private enum ExternalTokenRules {
    /// Apple asks after about ten days.
    static let reportDays: Int64 = 10

    /// A custom link's token is good for a month.
    static let lifetimeDays: Int64 = 30
}
