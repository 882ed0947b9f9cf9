// SPDX-License-Identifier: Apache-2.0
import CounterfoilApple
public import CounterfoilCore
import CounterfoilCrypto
import CounterfoilHTTP
import CounterfoilTrust

/// The statuses of verifyReceipt.
enum ReceiptStatus {
    static let valid: Int64 = 0
    static let notJSON: Int64 = 21_000
    static let malformed: Int64 = 21_002
    static let notAuthentic: Int64 = 21_003
    static let wrongSecret: Int64 = 21_004
    static let expired: Int64 = 21_006
    static let isSandbox: Int64 = 21_007
    static let isProduction: Int64 = 21_008
}

/// `POST /verifyReceipt`, which answers 200 whatever it thinks.
extension SimulatedAppStore {
    func receiptAnswer(to bytes: [UInt8], in environment: AppStoreEnvironment) -> HTTPResponse {
        guard let body = try? JSONValue(parsing: bytes), body.object != nil else {
            return status(ReceiptStatus.notJSON)
        }
        // Wrapped or damaged base64 is refused, as Apple does.
        guard let text = body["receipt-data"]?.string, !text.isEmpty,
            let evidence = Base64.decode(text.utf8, .standard)
        else {
            return .json([
                "status": .integer(ReceiptStatus.malformed),
                "exception": "java.lang.IllegalArgumentException",
            ])
        }
        let excludes =
            body["exclude-old-transactions"]?.bool == true && !ignoresExcludeOldTransactions
        do throws(ReceiptRefusal) {
            let object =
                evidence.first == UInt8(ascii: "{")
                ? try transactionReceipt(
                    evidence, password: body["password"]?.string, in: environment)
                : try appReceipt(
                    evidence, password: body["password"]?.string, excludingOld: excludes,
                    in: environment)
            return .json(.object(object))
        } catch {
            return status(error.status)
        }
    }

    private func status(_ status: Int64) -> HTTPResponse {
        .json(["status": .integer(status)])
    }

    private struct ReceiptRefusal: Error {
        let status: Int64
    }

    private func appReceipt(
        _ evidence: [UInt8], password: String?, excludingOld: Bool,
        in environment: AppStoreEnvironment
    ) throws(ReceiptRefusal) -> JSONObject {
        let receipt = try verified(evidence)
        try requireEnvironment(receipt.environment, is: environment)
        let account = account(of: receipt)
        let latest =
            account.flatMap {
                try? store.latestReceiptTransactions(of: $0, excludingOld: excludingOld)
            } ?? []
        try requireSecret(password, isNeeded: !latest.isEmpty)
        var answer = JSONObject()
        answer.append("status", .integer(ReceiptStatus.valid))
        answer.append("environment", .string(environment.rawValue))
        answer.append("receipt", .object(snapshot(of: receipt)))
        guard let account, !latest.isEmpty else { return answer }
        if let bytes = try? appReceipt(of: account) {
            answer.append("latest_receipt", .string(Base64.encode(bytes, .standard)))
        }
        answer.append(
            "latest_receipt_info",
            .array(ordered(latest).map { .object($0.verifyReceiptEntry(in: .latest)) }))
        let renewals = (try? store.pendingRenewals(of: account)) ?? []
        answer.append(
            "pending_renewal_info", .array(renewals.map { .object($0.pendingRenewalEntry) }))
        return answer
    }

    /// The receipt if this store's own authority signed it, whatever it signs with now.
    private func verified(_ evidence: [UInt8]) throws(ReceiptRefusal) -> AppReceipt {
        let judged: VerifiedEvidence
        do throws(TrustFailure) {
            judged = try Self.verifier(of: authority).verify(text: evidence, at: store.now)
        } catch {
            let malformed: [Verdict] = [.malformed, .malformedPayload, .trailingBytes, .noSigner]
            throw ReceiptRefusal(
                status: malformed.contains(error.verdict)
                    ? ReceiptStatus.malformed : ReceiptStatus.notAuthentic)
        }
        guard case .receipt(let receipt) = judged else {
            throw ReceiptRefusal(status: ReceiptStatus.malformed)
        }
        return receipt.payload
    }

    private static func verifier(of authority: Authority) throws(TrustFailure) -> EvidenceVerifier {
        var anchors: [TrustAnchor] = []
        for root in authority.rootCertificates { anchors.append(try TrustAnchor(parsing: root)) }
        return EvidenceVerifier(trusting: TrustStore(anchors: anchors))
    }

    private func requireEnvironment(
        _ own: AppStoreEnvironment?, is asked: AppStoreEnvironment
    ) throws(ReceiptRefusal) {
        guard own != asked else { return }
        switch own {
        case .sandbox?: throw ReceiptRefusal(status: ReceiptStatus.isSandbox)
        case .production?: throw ReceiptRefusal(status: ReceiptStatus.isProduction)
        default: throw ReceiptRefusal(status: ReceiptStatus.malformed)
        }
    }

    /// A secret that does not match is refused always, a missing one where it is needed.
    private func requireSecret(
        _ password: String?, isNeeded: Bool
    ) throws(ReceiptRefusal) {
        guard let secret = store.settings.sharedSecret else { return }
        guard password == secret || (password == nil && !isNeeded) else {
            throw ReceiptRefusal(status: ReceiptStatus.wrongSecret)
        }
    }

    private func snapshot(of receipt: AppReceipt) -> JSONObject {
        let isProduction = receipt.environment == .production
        var object = PayloadWriter()
        object.text("receipt_type", receipt.receiptType)
        object.number("adam_id", receipt.appItemID ?? 0)
        object.number("app_item_id", receipt.appItemID ?? 0)
        object.text("bundle_id", receipt.bundleID?.rawValue)
        object.text("application_version", receipt.applicationVersion)
        // Above 2^53 in production, so that a reader by floating point shows itself.
        object.number("download_id", isProduction ? 9_007_199_254_740_993 : 0)
        object.number("version_external_identifier", isProduction ? 827_703_432 : 0)
        object.appleDate("receipt_creation_date", receipt.creationDate)
        object.appleDate("request_date", store.now)
        object.appleDate("original_purchase_date", receipt.originalPurchaseDate)
        object.text("original_application_version", receipt.originalApplicationVersion)
        object.appleDate("expiration_date", receipt.expirationDate)
        object.list("in_app", receipt.purchases.map(ReceiptEntry.snapshot))
        return object.object
    }

    /// Whose receipt it is: the store writes that into it; others tell by a purchase.
    private func account(of receipt: AppReceipt) -> String? {
        guard receipt.bundleID?.rawValue == store.settings.bundleID else { return nil }
        let written = receipt.attributes.first { $0.type == Self.accountAttribute }
            .map { String(decoding: $0.octets, as: UTF8.self) }
        let bought = receipt.purchases.first?.transactionID?.rawValue
        return [written, bought].compactMap { $0 }
            .compactMap { try? store.accountName(anyTransactionID: $0) }.first
    }

    /// An attribute of the simulated store's own, among the many that Apple does not explain.
    private static let accountAttribute: Int64 = 90_001

    private func ordered(_ newestFirst: [SimulatedPurchase]) -> [SimulatedPurchase] {
        switch receiptOrder {
        case .newestFirst: newestFirst
        case .oldestFirst: newestFirst.reversed()
        case .scattered:
            newestFirst.sorted {
                String($0.transactionID.reversed()) < String($1.transactionID.reversed())
            }
        }
    }

    /// The app receipt that a customer's device has now; clients send it in base64.
    ///
    /// - Parameter device: Which device it is bound to; nil for no particular one.
    /// - Throws: ``StoreError`` for an unknown account or device, ``CryptoError`` if the library does
    ///   not sign.
    public func appReceipt(of account: String, device: UniqueID? = nil) throws -> [UInt8] {
        var receipt = try store.receipt(of: account, device: device)
        receipt.additionalAttributes.append(
            ReceiptAttribute(
                type: Self.accountAttribute,
                value: Array(try store.account(account).appTransactionID.utf8)))
        return try signing.appReceipt(receipt)
    }

    /// The receipt of one purchase in the form of iOS 6.
    ///
    /// - Throws: ``StoreError`` for an unknown transaction, ``CryptoError`` if the library does not
    ///   sign.
    public func transactionReceipt(of id: String) throws -> [UInt8] {
        try signing.transactionReceipt(store.transaction(id))
    }

    /// The answer in the form of iOS 6.
    private func transactionReceipt(
        _ evidence: [UInt8], password: String?, in environment: AppStoreEnvironment
    ) throws(ReceiptRefusal) -> JSONObject {
        guard let receipt = ReturnedTransactionReceipt(evidence) else {
            throw ReceiptRefusal(status: ReceiptStatus.malformed)
        }
        guard receipt.isSigned(by: authority.transactionReceiptChain.leaf) else {
            throw ReceiptRefusal(status: ReceiptStatus.notAuthentic)
        }
        try requireEnvironment(receipt.isSandbox ? .sandbox : .production, is: environment)
        guard let id = receipt.transactionID, let purchase = try? store.transaction(id) else {
            throw ReceiptRefusal(status: ReceiptStatus.notAuthentic)
        }
        let standing = try? store.standing(of: id)
        try requireSecret(password, isNeeded: standing != nil)
        var answer = JSONObject()
        guard let standing else {
            answer.append("status", .integer(ReceiptStatus.valid))
            answer.append("receipt", .object(ReceiptEntry.flat(purchase, settings: store.settings)))
            return answer
        }
        let (renewal, latest) = (standing.renewal, standing.transaction)
        let isExpired = latest.expiresDate.map { $0 <= store.now } ?? false
        answer.append(
            "status", .integer(isExpired ? ReceiptStatus.expired : ReceiptStatus.valid))
        answer.append("receipt", .object(ReceiptEntry.flat(purchase, settings: store.settings)))
        answer.append(
            isExpired ? "latest_expired_receipt_info" : "latest_receipt_info",
            .object(ReceiptEntry.flat(latest, settings: store.settings)))
        if !isExpired, let bytes = try? signing.transactionReceipt(latest) {
            answer.append("latest_receipt", .string(Base64.encode(bytes, .standard)))
        }
        answer.append("auto_renew_product_id", .optional(renewal.autoRenewProductID))
        // The one place where it is a number.
        answer.append("auto_renew_status", .integer(renewal.autoRenews == true ? 1 : 0))
        if isExpired {
            answer.append(
                "expiration_intent", .string(String(renewal.expirationIntent ?? 5)))
            answer.append(
                "is_in_billing_retry_period", renewal.isInBillingRetryPeriod == true ? "1" : "0")
        }
        return answer
    }
}
