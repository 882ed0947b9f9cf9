// SPDX-License-Identifier: Apache-2.0
import CounterfoilApple
import CounterfoilCore
import CounterfoilCrypto
import CounterfoilHTTP

/// Test notifications and the history of what was sent.
extension SimulatedAppStore {
    mutating func requestTestNotification() throws(APIError) -> HTTPResponse {
        guard notificationVersion == .v2 else { throw APIError.notificationURLNotFound }
        // What the store had to say before keeps its place.
        collectNotifications()
        store.requestTestNotification()
        let token = "\(newID())_\(store.now.millisecondsSinceEpoch)"
        for notification in store.takeNotifications() {
            testNotifications[token] = outbox.add(notification, at: store.now)
        }
        return .json(["testNotificationToken": .string(token)])
    }

    func testNotificationStatus(_ token: String) throws(APIError) -> HTTPResponse {
        let parts = token.split(separator: "_")
        guard parts.count == 2, UniqueID(parts[0]) != nil, Int64(parts[1]) != nil else {
            throw APIError.invalidTestNotificationToken
        }
        guard let number = testNotifications[token], let entry = outbox.entry(number),
            !entry.attempts.isEmpty
        else { throw APIError.testNotificationNotFound }
        return .json(.object(try historyItem(entry)))
    }

    func notificationHistory(
        _ bytes: [UInt8], _ items: [HTTPTarget.QueryItem]
    ) throws(APIError) -> HTTPResponse {
        let body = try ServiceBody(bytes)
        let filter = try NotificationFilter(
            body, now: store.now,
            maximumAge: store.settings.environment == .production
                ? Limits.historyDaysInProduction : Limits.historyDaysInSandbox)
        let question = body.value.text
        var start = Int64(-1)
        if let token = ServiceQuery(items).value("paginationToken"), !token.isEmpty {
            guard let number = PageMark.number(token, question: question) else {
                throw APIError.invalidPaginationToken
            }
            start = number
        }
        var page: [JSONValue] = []
        var last = start
        var hasMore = false
        for (number, entry) in outbox.history where Int64(number) > start {
            guard filter.admits(entry) else { continue }
            guard page.count < Limits.notificationsPerPage else {
                hasMore = true
                break
            }
            page.append(.object(try historyItem(entry)))
            last = Int64(number)
        }
        var answer = JSONObject()
        if hasMore {
            answer.append("paginationToken", .string(PageMark.text(last, question: question)))
        }
        answer.append("hasMore", .bool(hasMore))
        answer.append("notificationHistory", .array(page))
        return .json(.object(answer))
    }

    private func historyItem(_ entry: NotificationOutbox.Entry) throws(APIError) -> JSONObject {
        let text: String
        do throws(CryptoError) {
            // The content is the same; only the signature is new once nobody waits for it any more.
            if let signed = entry.signedPayload {
                text = signed
            } else {
                text = try signedPayload(of: entry.notification)
            }
        } catch {
            throw APIError.generalInternal
        }
        var item = JSONObject()
        item.append("signedPayload", .string(text))
        if let first = entry.attempts.first {
            item.append("firstSendAttemptResult", .string(first.result.rawValue))
        }
        item.append(
            "sendAttempts",
            .array(
                entry.attempts.suffix(Limits.attemptsInHistory).map {
                    [
                        "attemptDate": .integer($0.date.millisecondsSinceEpoch),
                        "sendAttemptResult": .string($0.result.rawValue),
                    ]
                }))
        return item
    }
}

/// What a notification history shall hold.
private struct NotificationFilter {
    private let start: Instant
    private let end: Instant
    private let type: String?
    private let subtype: String?
    private let transactionID: String?
    private let onlyFailures: Bool

    init(_ body: ServiceBody, now: Instant, maximumAge days: Int64) throws(APIError) {
        guard let from = body["startDate"]?.int64 else { throw APIError.invalidStartDate }
        guard let to = body["endDate"]?.int64 else { throw APIError.invalidEndDate }
        start = Instant(millisecondsSinceEpoch: from)
        end = min(Instant(millisecondsSinceEpoch: to), now)
        guard from < to else { throw APIError.startDateAfterEndDate }
        guard start >= now - .seconds(days * 86_400) else { throw APIError.startDateTooFarInPast }
        type = try Self.text(body, "notificationType", orThrow: .invalidNotificationType)
        subtype = try Self.text(body, "notificationSubtype", orThrow: .invalidNotificationType)
        transactionID = try Self.text(body, "transactionId", orThrow: .invalidTransactionID)
        if let type {
            guard Self.types.contains(NotificationType(rawValue: type)) else {
                throw APIError.invalidNotificationType
            }
        } else if subtype != nil {
            throw APIError.invalidNotificationType
        }
        guard type == nil || transactionID == nil else { throw APIError.multipleFiltersSupplied }
        if let transactionID {
            guard SimulatedAppStore.isNumber(transactionID) else {
                throw APIError.invalidTransactionID
            }
        }
        onlyFailures = body["onlyFailures"]?.bool ?? false
    }

    private static let types: Set<NotificationType> = [
        .subscribed, .didRenew, .didFailToRenew, .gracePeriodExpired, .expired,
        .didChangeRenewalStatus, .didChangeRenewalPreference, .offerRedeemed, .priceIncrease,
        .refund, .refundDeclined, .refundReversed, .revoke, .consumptionRequest, .renewalExtended,
        .renewalExtension, .oneTimeCharge, .externalPurchaseToken, .rescindConsent,
        .metadataUpdate, .migration, .migrate, .priceChange, .test,
    ]

    private static func text(
        _ body: ServiceBody, _ name: String, orThrow error: APIError
    ) throws(APIError) -> String? {
        guard let value = body[name] else { return nil }
        guard let text = value.string, !text.isEmpty else { throw error }
        return text
    }

    func admits(_ entry: NotificationOutbox.Entry) -> Bool {
        let notification = entry.notification
        guard start <= notification.signedDate, notification.signedDate <= end,
            !entry.attempts.isEmpty
        else { return false }
        if let type, notification.type.rawValue != type { return false }
        if let subtype, notification.subtype?.rawValue != subtype { return false }
        if let transactionID {
            let ids = [
                notification.transaction?.transactionID,
                notification.transaction?.originalTransactionID,
            ]
            guard ids.contains(transactionID) else { return false }
        }
        return !onlyFailures || !entry.isDelivered
    }
}
