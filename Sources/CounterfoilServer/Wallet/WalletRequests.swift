// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilEngine

/// What every body that changes a wallet may have.
struct WalletRequest {
    let action: WalletOperation.Action
    let environment: AppStoreEnvironment
    let reason: String?
    let reference: String?

    private typealias EngineLimits = CounterfoilEngine.Limits

    /// - Parameter isReasonRequired: Whether somebody has to say why.
    private init?(
        _ body: inout ObjectReader, isReasonRequired: Bool = false,
        _ action: (inout ObjectReader) -> WalletOperation.Action?
    ) {
        let action = action(&body)
        environment = body.environment()
        reason = body.string(
            "reason", maximum: Limits.reasonByteCount, isRequired: isReasonRequired)
        reference = body.string(
            "reference", maximum: Limits.referenceByteCount, isRequired: false)
        if isReasonRequired, reason?.isEmpty == true { body.report("reason", "is empty") }
        guard let action, body.findings.isEmpty else { return nil }
        self.action = action
    }

    /// `POST …/spend`.
    static func spend(_ body: inout ObjectReader) -> WalletRequest? {
        WalletRequest(&body) { body in
            let unit = body.identifier("unit", UnitKind.self)
            let amount = body.integer("amount", in: 1...EngineLimits.walletAmount)
            guard let unit, let amount else { return nil }
            return .spend(unit, amount)
        }
    }

    /// `POST …/reserve`.
    static func reserve(_ body: inout ObjectReader) -> WalletRequest? {
        WalletRequest(&body) { body in
            let unit = body.identifier("unit", UnitKind.self)
            let amount = body.integer("amount", in: 1...EngineLimits.walletAmount)
            let seconds = body.integer("expires_in", in: EngineLimits.holdSeconds)
            guard let unit, let amount, let seconds else { return nil }
            return .reserve(unit, amount, for: .seconds(seconds))
        }
    }

    /// `POST …/credit`.
    static func credit(_ body: inout ObjectReader, at now: Instant) -> WalletRequest? {
        WalletRequest(&body, isReasonRequired: true) { body in
            let unit = body.identifier("unit", UnitKind.self)
            let amounts = 1...EngineLimits.walletAmount
            let amount = body.integer("amount", in: amounts, isRequired: false)
            let bonus = body.integer("bonus", in: amounts, isRequired: false)
            let expiresAt = body.instant("expires_at", isRequired: false)
            if amount == nil, bonus == nil, body.findings.isEmpty {
                body.report("amount", "is missing, and bonus too; one of them is given")
            }
            if let expiresAt {
                if bonus == nil {
                    body.report(
                        "expires_at", "is for a bonus; what stands for a purchase never runs out")
                } else if expiresAt <= now {
                    body.report("expires_at", "is over already")
                }
            }
            let standsFor = StandsFor(&body)
            guard let unit else { return nil }
            var credit = WalletOperation.Credit(unit: unit)
            credit.amount = amount ?? 0
            credit.bonus = bonus ?? 0
            credit.expiresAt = expiresAt
            credit.transactionID = standsFor.transactionID
            credit.orderID = standsFor.orderID
            return .credit(credit)
        }
    }

    /// `POST …/holds/{hold_id}/post`.
    static func post(_ body: inout ObjectReader, hold: UniqueID) -> WalletRequest? {
        WalletRequest(holdIn: &body) { body in
            let amount = body.integer(
                "amount", in: 1...EngineLimits.walletAmount, isRequired: false)
            return .post(hold: hold, amount: amount)
        }
    }

    /// `POST …/holds/{hold_id}/void`.
    static func void(_ body: inout ObjectReader, hold: UniqueID) -> WalletRequest? {
        WalletRequest(holdIn: &body) { _ in .void(hold: hold) }
    }

    /// A hold was explained when it was made.
    private init?(
        holdIn body: inout ObjectReader, _ action: (inout ObjectReader) -> WalletOperation.Action
    ) {
        self.action = action(&body)
        environment = body.environment()
        reason = nil
        reference = nil
        guard body.findings.isEmpty else { return nil }
    }
}

/// The purchase that a credit stands in for.
private struct StandsFor {
    var transactionID: TransactionID?
    var orderID: UniqueID?

    init(_ body: inout ObjectReader) {
        guard let value = body.value("stands_for") else { return }
        var reader = ObjectReader(
            value, path: body.path("stands_for"), findings: body.findings)
        transactionID = reader.identifier(
            "transaction_id", TransactionKind.self, isRequired: false)
        orderID = reader.member("order_id", "a UUID", isRequired: false) { value in
            value.string.flatMap { UniqueID($0) }
        }
        reader.finish()
        if (transactionID == nil) == (orderID == nil) {
            body.report("stands_for", "names either transaction_id or order_id")
        }
    }
}

extension ObjectReader {
    /// The environment of a write; Production where none is named.
    fileprivate mutating func environment() -> AppStoreEnvironment {
        let environments: [AppStoreEnvironment] = [.production, .sandbox]
        let named = member("environment", "Production or Sandbox", isRequired: false) { value in
            environments.first { $0.rawValue == value.string }
        }
        return named ?? .production
    }
}
