// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore

/// Requests that succeed, by the names that docs/openapi.yaml gives to operations.
struct FuzzFixtures {
    private(set) var requests = JSONObject()

    var json: JSONValue { .object(requests) }

    /// Buys something, and asks the server for the ids that came of it.
    init(_ server: ServerUnderTest) throws {
        let purchases = (0..<6).map { server.purchase($0) }
        var submissions: [JSONValue] = []
        for purchase in purchases.dropLast(3) {
            let answer = try server.send("POST", "/v1/purchases", server.request(for: purchase))
            submissions.append(answer["submission_id"] ?? .null)
        }
        let due = try server.send("GET", "/v1/grants", server.request())["grants"]?.array ?? []
        let grants = due.compactMap { $0["grant_id"] }
        let bodies = try purchases.map { purchase in
            try JSONValue(parsing: server.request(for: purchase).body)
        }
        let customer: JSONValue = ["customer_id": .string(purchases[0].customer)]
        let product = JSONValue.string(ServerUnderTest.product)

        for body in bodies {
            let evidence: JSONValue = ["signed_transaction": body["signed_transaction"] ?? .null]
            add("submitPurchase", body: body)
            add("restorePurchases", path: customer, body: ["evidence": [evidence]])
        }
        for submission in submissions { add("getSubmission", path: ["submission_id": submission]) }
        for grant in grants {
            add("getGrant", path: ["grant_id": grant])
            let note: JSONValue = ["result": "delivered", "note": "by a program"]
            add("acknowledgeGrant", path: ["grant_id": grant], body: note)
        }
        let order: JSONValue = [
            "customer_id": .string(purchases[0].customer), "product_id": product,
        ]
        add("makeOrder", body: order)
        for _ in 0..<2 {
            let made = try server.send("POST", "/v1/orders", server.request(order))
            let path: JSONValue = ["order_id": made["order_id"] ?? .null]
            add("getOrder", path: path)
            add("cancelOrder", path: path, body: ["reason": "user_cancelled"])
            add("markOrderPending", path: path, body: [:])
        }
        add("getTransaction", path: ["transaction_id": .string(purchases[0].transactionID)])
        add("listTransactions", query: ["state": "parked"])
        add("listGrants", query: ["state": "due"])
        add("listEvents", query: ["after": 0])
        add("getCustomer", path: customer)
        add("getTimeline", path: customer)
        add("registerToken", path: customer, body: [:])
        add("canPurchase", path: customer, query: ["product": product])
        add("explainEntitlement", path: customer, query: ["entitlement": "premium"])
        add("createAnonymousCustomer", body: [:])
        try addWebhooks(server, product)
        try addWallet(server, customer, purchases[0].customer)
        try addOwnership(server)
        try addMerges(server)
        add(
            "takeNotification", path: ["app": .string(ServerUnderTest.app)],
            body: try server.testNotification())
        add("listNotifications")
        add("listProducts")
        add("listProductReports")
        add("reportProducts", body: ["product_ids": [product]])
        add("reloadCatalogue", body: [:])
    }

    /// Endpoints where nobody listens: what is sent to them fails at once.
    private mutating func addWebhooks(_ server: ServerUnderTest, _ product: JSONValue) throws {
        let endpoint: JSONValue = ["url": "http://127.0.0.1:59999/hook", "after": 0]
        let made = try (0..<6).map { _ in
            let answer = try server.send("POST", "/v1/endpoints", server.request(endpoint))
            return answer["endpoint_id"] ?? .null
        }
        let path: JSONValue = ["endpoint_id": made[0]]
        let events = try server.send("GET", "/v1/events", server.request())["events"]?.array ?? []
        let event = events.first?["id"] ?? .null
        add("makeEndpoint", body: endpoint)
        add("listEndpoints")
        add("getEndpoint", path: path)
        add("changeEndpoint", path: path, body: ["description": "of a test", "ordered": true])
        for id in made.dropFirst() { add("deleteEndpoint", path: ["endpoint_id": id]) }
        add("testEndpoint", path: path, body: [:])
        add("rotateSecret", path: path, body: ["grace_seconds": 60])
        add("getDelivery", path: ["endpoint_id": made[0], "event_id": event])
        add("getEvent", path: ["event_id": event])
        add("listDeliveries", query: ["state": "waiting"])
        add("replayDeliveries", body: ["ids": [event]])
        add("listHolds")
        add("holdDeliveries", body: ["product_id": product, "note": "for a test"])
        add("releaseDeliveries", body: ["product_id": product])
        add("listDebts")
    }

    /// What a customer has is credited often enough for all that spends it.
    private mutating func addWallet(
        _ server: ServerUnderTest, _ customer: JSONValue, _ id: String
    ) throws {
        let unit = JSONValue.string(ServerUnderTest.unit)
        let credit: JSONValue = ["unit": unit, "amount": 1_000_000, "reason": "for a test"]
        let reserve: JSONValue = ["unit": unit, "amount": 1, "expires_in": 3600]
        let path = "/v1/customers/\(id)"
        _ = try server.send("POST", "\(path)/credit", server.request(credit))
        for name in ["postHold", "voidHold"] {
            for _ in 0..<4 {
                let made = try server.send("POST", "\(path)/reserve", server.request(reserve))
                let hold = made["hold"]?["hold_id"] ?? .null
                add(name, path: ["customer_id": .string(id), "hold_id": hold], body: [:])
            }
        }
        add("credit", path: customer, body: credit)
        add("spend", path: customer, body: ["unit": unit, "amount": 1])
        add("reserve", path: customer, body: reserve)
        add("listCustomerHolds", path: customer)
        add("getStatement", path: customer)
        add("getEntries", path: customer)
    }

    /// Each transfer is to a customer of its own, so that it is one.
    private mutating func addOwnership(_ server: ServerUnderTest) throws {
        var originals: [JSONValue] = []
        for number in 100..<103 {
            let bought = server.purchase(number)
            _ = try server.send(
                "POST", "/v1/purchases", server.request(for: bought, isLasting: true))
            originals.append(.string(bought.transactionID))
        }
        let why: JSONValue = ["reason": "for a test"]
        for number in 0..<12 {
            add(
                "transferPurchase", path: ["customer_id": .string("heir-\(number)")],
                body: ["original_transaction_id": originals[0], "reason": "for a test"])
        }
        for original in originals.dropFirst() {
            let made = try server.send(
                "POST", "/v1/customers/heir/transfer",
                server.request(["original_transaction_id": original, "reason": "for a test"]))
            add(
                "undoOwnershipTransfer", path: ["transfer_id": made["transfer_id"] ?? .null],
                body: why)
        }
        add("listOwnershipTransfers", query: ["original_transaction_id": originals[1]])
        add("listConflicts")
    }

    private mutating func addMerges(_ server: ServerUnderTest) throws {
        let merge: JSONValue = ["into": "host", "reason": "for a test"]
        for number in 0..<4 {
            let guest = "guest-\(number)"
            _ = try server.send(
                "POST", "/v1/customers/\(guest)/tokens", server.request([:]))
            guard number < 2 else {
                add("mergeCustomer", path: ["customer_id": .string(guest)], body: merge)
                continue
            }
            let made = try server.send(
                "POST", "/v1/customers/\(guest)/merge", server.request(merge))
            add(
                "undoMerge", path: ["merge_id": made["merge_id"] ?? .null],
                body: ["reason": "for a test"])
        }
    }

    private mutating func add(
        _ operation: String, path: JSONValue? = nil, query: JSONValue? = nil,
        body: JSONValue? = nil
    ) {
        var request = JSONObject()
        if let path { request.append("path", path) }
        if let query { request.append("query", query) }
        if let body { request.append("body", body) }
        var all = requests[operation]?.array ?? []
        all.append(.object(request))
        requests = JSONObject(
            requests.members.filter { $0.key != operation }
                + [.init(key: operation, value: .array(all))])
    }
}
