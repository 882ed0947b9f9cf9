// SPDX-License-Identifier: Apache-2.0
import CounterfoilHTTP

/// The calls that a backend makes to the App Store.
public enum Endpoint: String, Hashable, Sendable, CaseIterable {
    case verifyReceipt = "verify_receipt"
    case transactionInfo = "transaction_info"
    case transactionHistory = "transaction_history"
    case transactionHistoryV1 = "transaction_history_v1"
    case subscriptionStatuses = "subscription_statuses"
    case appTransactionInfo = "app_transaction_info"
    case finishTransaction = "finish_transaction"
    case setAppAccountToken = "set_app_account_token"
    case consumption
    case consumptionV1 = "consumption_v1"
    case orderLookup = "order_lookup"
    case refundHistory = "refund_history"
    case refundHistoryV1 = "refund_history_v1"
    case extendRenewal = "extend_renewal"
    case massExtendRenewal = "mass_extend_renewal"
    case massExtensionStatus = "mass_extension_status"
    case testNotification = "test_notification"
    case testNotificationStatus = "test_notification_status"
    case notificationHistory = "notification_history"

    /// Calls per second in production as Apple states them; nil where it states none.
    private var callsPerSecond: Int64? {
        switch self {
        case .transactionInfo, .transactionHistory, .transactionHistoryV1, .subscriptionStatuses,
            .appTransactionInfo, .finishTransaction, .consumption, .consumptionV1,
            .notificationHistory:
            50
        case .setAppAccountToken, .extendRenewal: 20
        case .orderLookup, .refundHistory, .refundHistoryV1: 10
        case .massExtendRenewal, .testNotification, .testNotificationStatus: 1
        case .verifyReceipt, .massExtensionStatus: nil
        }
    }

    func callsPerHour(isSandbox: Bool) -> Int64? {
        callsPerSecond.map { $0 * (isSandbox ? 360 : 3600) }
    }
}

/// A call together with what its path names.
struct Call {
    let endpoint: Endpoint

    /// The parts of the path that are data, in order.
    let names: [String]

    /// Finds the endpoint of a path; nil for a path that Apple does not have, or with another method.
    init?(_ method: HTTPMethod, _ segments: ArraySlice<String>) {
        for (endpoint, expected, pattern) in Self.routes where method == expected {
            guard let names = Self.match(segments, pattern) else { continue }
            self.endpoint = endpoint
            self.names = names
            return
        }
        return nil
    }

    /// An asterisk stands for data. Longer paths come first where two could match.
    private static let routes: [(Endpoint, HTTPMethod, [String])] = [
        (.verifyReceipt, .post, ["verifyReceipt"]),
        (.appTransactionInfo, .get, ["inApps", "v1", "transactions", "appTransactions", "*"]),
        (.transactionInfo, .get, ["inApps", "v1", "transactions", "*"]),
        (.finishTransaction, .post, ["inApps", "v1", "transactions", "*", "finish"]),
        (.setAppAccountToken, .put, ["inApps", "v1", "transactions", "*", "appAccountToken"]),
        (.transactionHistory, .get, ["inApps", "v2", "history", "*"]),
        (.transactionHistoryV1, .get, ["inApps", "v1", "history", "*"]),
        (
            .massExtensionStatus, .get,
            ["inApps", "v1", "subscriptions", "extend", "mass", "*", "*"]
        ),
        (.massExtendRenewal, .post, ["inApps", "v1", "subscriptions", "extend", "mass"]),
        (.extendRenewal, .put, ["inApps", "v1", "subscriptions", "extend", "*"]),
        (.subscriptionStatuses, .get, ["inApps", "v1", "subscriptions", "*"]),
        (.consumption, .put, ["inApps", "v2", "transactions", "consumption", "*"]),
        (.consumptionV1, .put, ["inApps", "v1", "transactions", "consumption", "*"]),
        (.orderLookup, .get, ["inApps", "v1", "lookup", "*"]),
        (.refundHistory, .get, ["inApps", "v2", "refund", "lookup", "*"]),
        (.refundHistoryV1, .get, ["inApps", "v1", "refund", "lookup", "*"]),
        (.testNotificationStatus, .get, ["inApps", "v1", "notifications", "test", "*"]),
        (.testNotification, .post, ["inApps", "v1", "notifications", "test"]),
        (.notificationHistory, .post, ["inApps", "v1", "notifications", "history"]),
    ]

    private static func match(_ segments: ArraySlice<String>, _ pattern: [String]) -> [String]? {
        guard segments.count == pattern.count else { return nil }
        var names: [String] = []
        for (segment, part) in zip(segments, pattern) {
            if part == "*" {
                guard !segment.isEmpty else { return nil }
                names.append(segment)
            } else if part != segment {
                return nil
            }
        }
        return names
    }
}
