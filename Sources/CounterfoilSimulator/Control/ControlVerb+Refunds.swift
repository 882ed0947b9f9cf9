// SPDX-License-Identifier: Apache-2.0
import CounterfoilApple
import CounterfoilCore

extension ControlVerb {
    static let refundVerbs = [
        ControlVerb("request_refund", "A customer asks for a refund; asking again asks again.") {
            app, arguments in
            let transaction = arguments.text("transaction")
            let reason = arguments.optionalText("reason")
            try arguments.finish()
            try app.store.requestRefund(
                transaction,
                reason: reason.map { ConsumptionRequestReason(rawValue: $0) }
                    ?? .unintendedPurchase)
            return [:]
        },
        ControlVerb("refund", "Give money back, all of it or a share.") { app, arguments in
            let transaction = arguments.text("transaction")
            let percentage = arguments.optionalInteger("percentage_milli", in: 1...100_000)
            let quantity = arguments.optionalInteger("quantity", in: 1...Limits.maximumQuantity)
            let isAboutApp = arguments.flag("issue_in_app")
            let date = arguments.optionalInstant("date")
            try arguments.finish()
            guard percentage == nil || quantity == nil else {
                throw ControlError.value(
                    "percentage_milli and quantity", "exclude each other",
                    allowed: ["percentage_milli", "quantity"])
            }
            let share =
                percentage.map { RefundTerms.Share.percentage(milli: $0) }
                ?? quantity.map { .quantity($0) } ?? .full
            try app.store.refund(
                transaction,
                RefundTerms(
                    share: share, reason: isAboutApp ? .appIssue : .other, date: date))
            return try app.evidence(of: app.store.transaction(transaction))
        },
        ControlVerb("decline_refund", "Refuse a refund that was asked for.") { app, arguments in
            let transaction = arguments.text("transaction")
            try arguments.finish()
            try app.store.declineRefund(transaction)
            return [:]
        },
        ControlVerb("reverse_refund", "Undo a refund after a dispute.") { app, arguments in
            let transaction = arguments.text("transaction")
            try arguments.finish()
            try app.store.reverseRefund(transaction)
            return try app.evidence(of: app.store.transaction(transaction))
        },
        ControlVerb("refund_cases", "Refunds that are asked for and not decided, with answers.") {
            app, arguments in
            try arguments.finish()
            return ["cases": .array(app.store.openRefunds.map(\.json))]
        },
    ]
}

extension RefundCase {
    var json: JSONValue {
        [
            "transaction_id": .string(transactionID), "reason": .string(reason.rawValue),
            "requested": .string(requestedAt.rfc3339), "deadline": .string(deadline.rfc3339),
            "requests": .array(requests.map { .string($0.description) }),
            "answers": .array(answers),
        ]
    }
}
