// SPDX-License-Identifier: Apache-2.0
import CounterfoilApple
import CounterfoilCore
import CounterfoilHTTP

/// Calls that change something.
extension SimulatedAppStore {
    mutating func finish(_ id: String) throws(APIError) -> HTTPResponse {
        _ = try transaction(id)
        do throws(StoreError) {
            try store.finish(id)
        } catch {
            throw APIError.transactionIDNotFound
        }
        return HTTPResponse(status: 200)
    }

    mutating func setAppAccountToken(
        _ id: String, _ bytes: [UInt8]
    ) throws(APIError) -> HTTPResponse {
        guard Self.isNumber(id) else { throw APIError.invalidTransactionID }
        guard !store.allAccounts.contains(where: { $0.appTransactionID == id }) else {
            throw APIError.appTransactionIDNotSupported
        }
        let body = try ServiceBody(bytes)
        guard let token = body["appAccountToken"]?.string.flatMap({ UniqueID($0) }) else {
            throw APIError.invalidAppAccountToken
        }
        do throws(StoreError) {
            try store.setAppAccountToken(token, of: id)
        } catch {
            switch error.code {
            case .transactionShared: throw APIError.familyTransactionNotSupported
            case .transactionNotOriginal: throw APIError.notOriginalTransactionID
            default: throw APIError.originalTransactionIDNotFound
            }
        }
        collectNotifications()
        return HTTPResponse(status: 200)
    }

    mutating func extendRenewal(
        _ id: String, _ bytes: [UInt8]
    ) throws(APIError) -> HTTPResponse {
        guard Self.isNumber(id) else { throw APIError.invalidOriginalTransactionID }
        let request = try ExtensionRequest(try ServiceBody(bytes))
        let done: RenewalExtension
        do throws(StoreError) {
            done = try store.extendRenewal(id, days: request.days)
        } catch {
            throw Self.refusal(of: error)
        }
        collectNotifications()
        return .json([
            "originalTransactionId": .string(done.originalTransactionID),
            "webOrderLineItemId": .string(done.webOrderLineItemID),
            "success": true,
            "effectiveDate": .integer(done.effectiveDate.millisecondsSinceEpoch),
        ])
    }

    mutating func massExtendRenewal(_ bytes: [UInt8]) throws(APIError) -> HTTPResponse {
        let body = try ServiceBody(bytes)
        let request = try ExtensionRequest(body)
        guard let product = body["productId"]?.string, !product.isEmpty else {
            throw APIError.invalidProductID
        }
        var countries: [String]?
        if let value = body["storefrontCountryCodes"] {
            guard let list = value.array else { throw APIError.invalidStorefront }
            guard !list.isEmpty else { throw APIError.emptyStorefrontList }
            let names = list.compactMap(\.string)
            guard names.count == list.count, names.allSatisfy({ $0.utf8.count == 3 }) else {
                throw APIError.invalidStorefront
            }
            countries = names
        }
        do throws(StoreError) {
            try store.extendAllRenewals(
                ofProduct: product, days: request.days,
                requestIdentifier: request.identifier, storefronts: countries)
        } catch {
            throw error.code == .productUnknown ? APIError.invalidProductID : APIError.badRequest
        }
        collectNotifications()
        return .json(["requestIdentifier": .string(request.identifier)])
    }

    func massExtensionStatus(
        _ product: String, _ identifier: String
    ) throws(APIError) -> HTTPResponse {
        guard
            let status = store.massExtension(
                ofProduct: product, requestIdentifier: identifier)
        else { throw APIError.statusRequestNotFound }
        var body = JSONObject()
        body.append("requestIdentifier", .string(identifier))
        body.append("complete", .bool(status.completed != nil))
        if let completed = status.completed {
            body.append("completeDate", .integer(completed.millisecondsSinceEpoch))
            body.append("succeededCount", .integer(status.succeededCount))
            body.append("failedCount", .integer(status.failedCount))
        }
        return .json(.object(body))
    }

    private static func refusal(of error: StoreError) -> APIError {
        switch error.code {
        case .transactionShared: .familyExtensionIneligible
        case .extensionIneligible: .extensionIneligible
        case .extensionRequest: .invalidExtendByDays
        default: .originalTransactionIDNotFound
        }
    }
}

/// What every extension says.
private struct ExtensionRequest {
    let days: Int64
    let identifier: String

    init(_ body: ServiceBody) throws(APIError) {
        guard let days = body["extendByDays"]?.int64,
            (1...Limits.maximumExtensionDays).contains(days)
        else { throw APIError.invalidExtendByDays }
        guard let reason = body["extendReasonCode"]?.int64, (0...3).contains(reason) else {
            throw APIError.invalidExtendReasonCode
        }
        guard let identifier = body["requestIdentifier"]?.string, !identifier.isEmpty,
            identifier.utf8.count <= Limits.maximumRequestIdentifierLength
        else { throw APIError.invalidRequestIdentifier }
        self.days = days
        self.identifier = identifier
    }
}
