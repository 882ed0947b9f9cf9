// SPDX-License-Identifier: Apache-2.0
import CounterfoilApple
import CounterfoilCore
import CounterfoilHTTP

/// Transactions, histories, subscription states and the customer's ownership of the app.
extension SimulatedAppStore {
    func transactionInfo(_ id: String) throws(APIError) -> HTTPResponse {
        let transaction = try found(by: .transactionInfo, id) { store throws(StoreError) in
            try store.transaction(id)
        }
        return .json(["signedTransactionInfo": .string(try sign(transaction.transactionPayload))])
    }

    func appTransactionInfo(_ id: String) throws(APIError) -> HTTPResponse {
        let transaction = try found(by: .appTransactionInfo, id) { store throws(StoreError) in
            try store.appTransaction(anyTransactionID: id)
        }
        return .json(["signedAppTransactionInfo": .string(try sign(transaction.payload))])
    }

    func statuses(
        _ id: String, _ items: [HTTPTarget.QueryItem]
    ) throws(APIError) -> HTTPResponse {
        let query = ServiceQuery(items)
        var wanted: Set<Int64> = []
        for text in query.values("status") {
            guard let status = Int64(text), (1...5).contains(status) else {
                throw APIError.invalidStatus
            }
            wanted.insert(status)
        }
        let standings = try found(by: .subscriptionStatuses, id) { store throws(StoreError) in
            try store.statuses(anyTransactionID: id)
        }
        var groups: [(id: String, transactions: [JSONValue])] = []
        for standing in standings {
            guard wanted.isEmpty || wanted.contains(standing.status.rawValue) else { continue }
            let entry: JSONValue = [
                "status": .integer(standing.status.rawValue),
                "originalTransactionId": .string(standing.originalTransactionID),
                "signedTransactionInfo": .string(
                    try sign(standing.transaction.transactionPayload)),
                "signedRenewalInfo": .string(try sign(standing.renewal.payload)),
            ]
            if let known = groups.firstIndex(where: { $0.id == standing.groupID }) {
                groups[known].transactions.append(entry)
            } else {
                groups.append((standing.groupID, [entry]))
            }
        }
        var body = appMembers()
        body.append(
            "data",
            .array(
                groups.map {
                    [
                        "subscriptionGroupIdentifier": .string($0.id),
                        "lastTransactions": .array($0.transactions),
                    ]
                }))
        return .json(.object(body))
    }

    func history(
        _ id: String, _ items: [HTTPTarget.QueryItem], isVersion1: Bool
    ) throws(APIError) -> HTTPResponse {
        let query = ServiceQuery(items)
        let filter = try HistoryFilter(query)
        var entries = try found(by: .transactionHistory, id) { store throws(StoreError) in
            try store.history(anyTransactionID: id)
        }
        let customer = entries.first?.transaction.appTransactionID ?? id
        let question = "\(customer)?\(query.question(without: "revision"))"
        var mark: Int64?
        if let text = query.value("revision") {
            mark = PageMark.number(text, question: question)
            guard mark != nil else { throw APIError.invalidRequestRevision }
        }
        if filter.isDescending { entries.reverse() }
        entries.removeAll { entry in
            if isVersion1, entry.isFinishedConsumable { return true }
            guard let mark else { return false }
            return filter.isDescending ? entry.revision >= mark : entry.revision <= mark
        }
        entries.removeAll { !filter.admits($0.transaction) }
        let page = entries.prefix(Limits.transactionsPerPage)
        let last = page.last?.revision ?? mark ?? 0
        var body = JSONObject()
        body.append("revision", .string(PageMark.text(last, question: question)))
        body.append("hasMore", .bool(page.count < entries.count))
        for member in appMembers().members { body.append(member.key, member.value) }
        body.append("signedTransactions", .array(try signed(page.map(\.transaction))))
        return .json(.object(body))
    }

    func refundHistory(
        _ id: String, _ items: [HTTPTarget.QueryItem]
    ) throws(APIError) -> HTTPResponse {
        let refunds = try refunds(id)
        let question = "refunds \(refunds.first?.appTransactionID ?? id)"
        var start = 0
        if let text = ServiceQuery(items).value("revision") {
            guard let number = PageMark.number(text, question: question),
                let count = Int(exactly: number), (0...refunds.count).contains(count)
            else { throw APIError.invalidRequestRevision }
            start = count
        }
        let end = min(refunds.count, start + Limits.transactionsPerPage)
        return .json([
            "revision": .string(PageMark.text(Int64(end), question: question)),
            "hasMore": .bool(end < refunds.count),
            "signedTransactions": .array(try signed(refunds[start..<end])),
        ])
    }

    func refundHistoryV1(_ id: String) throws(APIError) -> HTTPResponse {
        .json([
            "signedTransactions": .array(
                try signed(try refunds(id).suffix(Limits.refundsInVersion1)))
        ])
    }

    func orderLookup(_ id: String) throws(APIError) -> HTTPResponse {
        let transactions = store.orderLookup(id)
        return .json([
            "status": transactions.isEmpty ? 1 : 0,
            "signedTransactions": .array(try signed(transactions)),
        ])
    }

    private func signed(
        _ purchases: some Sequence<SimulatedPurchase>
    ) throws(APIError) -> [JSONValue] {
        var list: [JSONValue] = []
        for purchase in purchases { list.append(.string(try sign(purchase.transactionPayload))) }
        return list
    }

    /// What a customer was paid back, by the date of it. Copies that a family lost are no refunds.
    private func refunds(_ id: String) throws(APIError) -> [SimulatedPurchase] {
        try found(by: .refundHistory, id) { store throws(StoreError) in
            try store.refunds(anyTransactionID: id)
        }.map(\.transaction).filter {
            $0.revocation?.type != TransactionRecord.RevocationWord.family.rawValue
        }
    }

    /// What the store knows of an id, or Apple's word for an id that it does not know.
    private func found<Result>(
        by endpoint: Endpoint, _ id: String,
        _ read: (SimulatedStore) throws(StoreError) -> Result
    ) throws(APIError) -> Result {
        guard Self.isNumber(id) else { throw APIError.invalidTransactionID }
        do throws(StoreError) {
            return try read(store)
        } catch {
            throw APIError.notFound(by: endpoint)
        }
    }

    /// What answers say about the app.
    func appMembers() -> JSONObject {
        var object = JSONObject()
        object.append("bundleId", .string(store.settings.bundleID))
        if let number = store.payloadAppAppleID { object.append("appAppleId", .integer(number)) }
        object.append("environment", .string(store.settings.environment.rawValue))
        return object
    }

    /// A transaction by its id.
    func transaction(_ id: String) throws(APIError) -> SimulatedPurchase {
        try found(by: .transactionInfo, id) { store throws(StoreError) in
            try store.transaction(id)
        }
    }

    /// Whether it looks like an id of Apple's.
    static func isNumber(_ id: String) -> Bool {
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        return (1...19).contains(id.utf8.count) && id.utf8.allSatisfy(digits.contains)
    }
}

/// What a history shall hold.
struct HistoryFilter {
    let isDescending: Bool
    private let start: Instant?
    private let end: Instant?
    private let products: Set<String>
    private let kinds: Set<SimulatedPurchase.Kind>
    private let groups: Set<String>
    private let ownership: String?
    private let revoked: Bool?

    private static let kindNames: [String: SimulatedPurchase.Kind] = [
        "AUTO_RENEWABLE": .autoRenewableSubscription, "NON_RENEWABLE": .nonRenewingSubscription,
        "CONSUMABLE": .consumable, "NON_CONSUMABLE": .nonConsumable,
    ]

    init(_ query: ServiceQuery) throws(APIError) {
        start = try query.instant("startDate", orThrow: .invalidStartDate)
        end = try query.instant("endDate", orThrow: .invalidEndDate)
        if let start, let end, start >= end { throw APIError.startDateAfterEndDate }
        products = Set(query.values("productId"))
        guard !products.contains("") else { throw APIError.invalidProductID }
        var kinds: Set<SimulatedPurchase.Kind> = []
        for name in query.values("productType") {
            guard let kind = Self.kindNames[name] else { throw APIError.invalidProductType }
            kinds.insert(kind)
        }
        self.kinds = kinds
        groups = Set(query.values("subscriptionGroupIdentifier"))
        guard !groups.contains("") else { throw APIError.invalidSubscriptionGroup }
        ownership = query.value("inAppOwnershipType")
        guard ownership == nil || ["PURCHASED", "FAMILY_SHARED"].contains(ownership ?? "") else {
            throw APIError.invalidOwnershipType
        }
        switch query.value("sort") {
        case nil, "ASCENDING": isDescending = false
        case "DESCENDING": isDescending = true
        default: throw APIError.invalidSort
        }
        let isExcluding = try query.bool("excludeRevoked", orThrow: .invalidExcludeRevoked)
        let isRevoked = try query.bool("revoked", orThrow: .invalidRevoked)
        revoked = isRevoked ?? (isExcluding == true ? false : nil)
    }

    func admits(_ purchase: SimulatedPurchase) -> Bool {
        if let start, purchase.purchaseDate < start { return false }
        if let end, purchase.purchaseDate >= end { return false }
        if !products.isEmpty, !products.contains(purchase.productID) { return false }
        if !kinds.isEmpty, !kinds.contains(purchase.kind) { return false }
        if !groups.isEmpty, !groups.contains(purchase.subscriptionGroupID ?? "") { return false }
        if let ownership, purchase.ownershipType != ownership { return false }
        if let revoked, (purchase.revocation != nil) != revoked { return false }
        return true
    }
}

extension HistoryEntry {
    /// What version 1 of the history and receipts leave out; a refund brings it back.
    var isFinishedConsumable: Bool {
        isFinished && transaction.kind == .consumable && transaction.revocation == nil
    }
}
