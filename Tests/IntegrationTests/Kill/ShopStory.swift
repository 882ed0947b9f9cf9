// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilTestSupport

/// One sale from the order to what becomes of it, as a game and its server go through it.
struct ShopStory {
    let number: Int
    let server: ServerUnderTest

    /// Every third sale is taken back by the store.
    var isRefunded: Bool { number.isMultiple(of: 3) }

    /// Behind every other sale its customer spends.
    private var spends: Int64? { number.isMultiple(of: 2) ? 40 + Int64(number * 37 % 120) : nil }

    /// Plays it to its end.
    ///
    /// - Throws: ``ChildProcess/Failure`` where an answer breaks a promise.
    func play(as client: PatientClient, _ log: StudioLog) throws {
        let purchase = server.purchase(number)
        let made = try client.ask(
            "POST", "/v1/orders",
            [
                "customer_id": .string(purchase.customer),
                "product_id": .string(ServerUnderTest.product),
                "context": ["story": .integer(Int64(number))],
            ], key: "order-\(number)")
        guard made.status == 201, let order = made.body["order_id"]?.string,
            let ticket = made.body["ticket"]?.string,
            let token = UniqueID(made.body["app_account_token"]?.string ?? "")
        else { throw failure("the order", made) }
        log.ordered(order, isRefunded: isRefunded)
        let proof = try server.signedTransaction(of: purchase, token: token)
        for _ in 0..<2 {
            try handIn(proof, purchase, order, ticket, as: client) {
                ["fulfilled", "already_fulfilled"].contains($0)
            }
        }
        log.bought(by: purchase.customer)
        if let amount = spends { try spend(amount, purchase.customer, as: client, log) }
        guard isRefunded else { return }
        let refund = try server.signedTransaction(of: purchase, token: token, isRefunded: true)
        // The old proof changes nothing afterwards.
        for evidence in [refund, proof] {
            try handIn(evidence, purchase, order, ticket, as: client) { $0 == "rejected" }
        }
        log.refunded(to: purchase.customer)
    }

    private func handIn(
        _ proof: String, _ purchase: Purchase, _ order: String, _ ticket: String,
        as client: PatientClient, _ isRight: (String) -> Bool
    ) throws {
        let answer = try client.ask(
            "POST", "/v1/purchases",
            [
                "customer_id": .string(purchase.customer), "signed_transaction": .string(proof),
                "order_id": .string(order), "ticket": .string(ticket),
            ])
        guard answer.status == 200, isRight(answer.body["status"]?.string ?? ""),
            answer.body["order"]?["order_id"]?.string == order,
            answer.body["order"]?["context"]?["story"]?.int64 == Int64(number)
        else { throw failure("the purchase", answer) }
    }

    private func spend(
        _ amount: Int64, _ customer: String, as client: PatientClient, _ log: StudioLog
    ) throws {
        let answer = try client.ask(
            "POST", "/v1/customers/\(customer)/spend",
            ["unit": .string(ServerUnderTest.unit), "amount": .integer(amount)],
            key: "spend-\(number)")
        switch (answer.status, answer.body["code"]?.string) {
        case (200, nil): log.spent(amount, by: customer)
        case (409, "wallet.insufficient_balance"): break
        default: throw failure("the spend", answer)
        }
    }

    private func failure(
        _ what: String, _ answer: (status: Int, body: JSONValue)
    ) -> ChildProcess.Failure {
        ChildProcess.Failure(
            description: "story \(number), \(what): \(answer.status) \(answer.body.text)")
    }
}
