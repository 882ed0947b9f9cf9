// SPDX-License-Identifier: Apache-2.0
public import CounterfoilApple
public import CounterfoilCore

extension SimulatedNotification {
    /// The payload that the App Store signs (ResponseBodyV2DecodedPayload); its signature goes to the
    /// server as `{"signedPayload": …}`.
    ///
    /// - Parameter sign: Makes a compact JWS of an inner payload: transaction, renewal, app transaction.
    public func payload<Failure: Error>(
        sign: (JSONValue) throws(Failure) -> String
    ) throws(Failure) -> JSONValue {
        var payload = PayloadWriter()
        payload.text("notificationType", type.rawValue)
        payload.text("subtype", subtype?.rawValue)
        payload.text("notificationUUID", id.description)
        switch content {
        case .data(let data): payload.object("data", try members(of: data, sign: sign))
        case .summary(let summary): payload.object("summary", members(of: summary))
        case .externalPurchaseToken(let token):
            payload.object("externalPurchaseToken", members(of: token))
        case .appData(let appTransaction):
            var object = PayloadWriter()
            writeApp(&object)
            object.text("signedAppTransactionInfo", try sign(appTransaction.payload))
            payload.object("appData", object.object)
        }
        payload.text("version", "2.0")
        payload.date("signedDate", signedDate)
        return .object(payload.object)
    }

    private func writeApp(_ object: inout PayloadWriter, environment isWritten: Bool = true) {
        object.number("appAppleId", appAppleID)
        object.text("bundleId", bundleID)
        object.text("bundleVersion", bundleVersion)
        if isWritten { object.text("environment", environment.rawValue) }
    }

    private func members<Failure: Error>(
        of data: Data, sign: (JSONValue) throws(Failure) -> String
    ) throws(Failure) -> JSONObject {
        var object = PayloadWriter()
        writeApp(&object)
        if let transaction = data.transaction {
            object.text("signedTransactionInfo", try sign(transaction.transactionPayload))
        }
        if let renewal = data.renewal {
            object.text("signedRenewalInfo", try sign(renewal.payload))
        }
        object.number("status", data.status?.rawValue)
        object.text("consumptionRequestReason", data.consumptionRequestReason?.rawValue)
        return object.object
    }

    private func members(of summary: Summary) -> JSONObject {
        var object = PayloadWriter()
        object.text("requestIdentifier", summary.requestIdentifier)
        writeApp(&object)
        object.text("productId", summary.productID)
        object.texts("storefrontCountryCodes", summary.storefrontCountryCodes)
        object.number("succeededCount", summary.succeededCount)
        object.number("failedCount", summary.failedCount)
        return object.object
    }

    private func members(of token: Token) -> JSONObject {
        var object = PayloadWriter()
        object.text("externalPurchaseId", token.externalPurchaseID)
        object.date("tokenCreationDate", token.creationDate)
        object.text("tokenType", token.type?.rawValue)
        object.date("tokenExpirationDate", token.expirationDate)
        writeApp(&object, environment: false)
        return object.object
    }
}

extension SimulatedNotification {
    /// Takes what was signed, with its inner payloads already opened; nil where it is no notification
    /// of Apple's shape.
    public init?(
        _ signed: JWSNotification, transaction: SimulatedPurchase? = nil,
        renewal: SimulatedRenewal? = nil, appTransaction: SimulatedAppTransaction? = nil
    ) {
        guard let type = signed.notificationType, let signedDate = signed.signedDate,
            let id = signed.notificationUUID.flatMap({ UniqueID($0) }),
            let bundleID = signed.bundleID, let environment = signed.environment,
            let content = Content(
                signed, transaction: transaction, renewal: renewal, appTransaction: appTransaction)
        else { return nil }
        self.init(
            type: type, subtype: signed.subtype, id: id, signedDate: signedDate,
            bundleID: bundleID.rawValue, appAppleID: signed.appAppleID,
            bundleVersion: signed.data?.bundleVersion, environment: environment, content: content)
    }
}

extension SimulatedNotification.Content {
    fileprivate init?(
        _ signed: JWSNotification, transaction: SimulatedPurchase?, renewal: SimulatedRenewal?,
        appTransaction: SimulatedAppTransaction?
    ) {
        if let data = signed.data {
            self = .data(
                SimulatedNotification.Data(
                    transaction: transaction, renewal: renewal, status: data.status,
                    consumptionRequestReason: data.consumptionRequestReason))
        } else if let summary = signed.summary, let product = summary.productID,
            let request = summary.requestIdentifier
        {
            self = .summary(
                SimulatedNotification.Summary(
                    productID: product.rawValue, requestIdentifier: request,
                    storefrontCountryCodes: summary.storefrontCountryCodes,
                    succeededCount: summary.succeededCount ?? 0,
                    failedCount: summary.failedCount ?? 0))
        } else if let token = signed.externalPurchaseToken, let id = token.externalPurchaseID,
            let created = token.tokenCreationDate
        {
            self = .externalPurchaseToken(
                SimulatedNotification.Token(
                    externalPurchaseID: id, creationDate: created, type: token.tokenType,
                    expirationDate: token.tokenExpirationDate))
        } else if signed.appData != nil, let appTransaction {
            self = .appData(appTransaction)
        } else {
            return nil
        }
    }
}
