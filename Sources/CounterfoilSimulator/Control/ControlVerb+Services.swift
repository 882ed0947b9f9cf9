// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore

extension ControlVerb {
    static let serviceVerbs = [
        ControlVerb("fail", "Let calls of Apple's services fail.") { app, arguments in
            let fault = try fault(&arguments)
            app.inject(fault)
            return ["faults": .integer(app.injectedFaults.count)]
        },
        ControlVerb("clear_faults", "Let calls succeed again.") { app, arguments in
            let endpoint = arguments.choice("endpoint", Endpoint.self)
            try arguments.finish()
            app.clearFaults(of: endpoint)
            return ["faults": .integer(app.injectedFaults.count)]
        },
        ControlVerb("limit", "Limit an endpoint's calls per hour, or go back to Apple's limit.") {
            app, arguments in
            let endpoint = arguments.requiredChoice("endpoint", Endpoint.self)
            let calls = arguments.optionalInteger("calls_per_hour", in: 0...Int64(Int32.max))
            try arguments.finish()
            if let endpoint { app.limit(endpoint, callsPerHour: calls) }
            return [:]
        },
        ControlVerb("set_released", "Whether the app was ever released.") { app, arguments in
            let isReleased = arguments.flag("released", default: true)
            try arguments.finish()
            app.isReleased = isReleased
            return app.stateJSON
        },
        ControlVerb("set_receipts", "How verifyReceipt behaves.") { app, arguments in
            let order = arguments.choice("order", SimulatedAppStore.ReceiptOrder.self)
            let ignores = arguments.optionalFlag("ignore_exclude_old_transactions")
            try arguments.finish()
            if let order { app.receiptOrder = order }
            if let ignores { app.ignoresExcludeOldTransactions = ignores }
            return [:]
        },
        ControlVerb("rotate", "Replace certificates by new ones under the same roots.") {
            app, arguments in
            let rotation = arguments.requiredChoice("what", Authority.Rotation.self)
            try arguments.finish()
            if let rotation { try app.rotate(rotation) }
            return [:]
        },
        ControlVerb("certificate_fault", "Sign with certificates that have a fault, or in order.") {
            app, arguments in
            let fault = arguments.choice("fault", ChainFault.self)
            try arguments.finish()
            try app.present(fault)
            return [:]
        },
        ControlVerb("consumption", "What backends said about refunds.") { app, arguments in
            try arguments.finish()
            return ["reports": .array(app.consumptionReports.map(\.json))]
        },
    ]

    private enum FaultWord: String, CaseIterable {
        case latency, timeout, status, html
        case cutBody = "cut_body"
        case emptyBody = "empty_body"
        case receiptStatus = "receipt_status"
        case apiError = "api_error"
        case rateLimit = "rate_limit"
    }

    private static func fault(
        _ arguments: inout ControlArguments
    ) throws(ControlError) -> InjectedFault {
        let endpoint = arguments.choice("endpoint", Endpoint.self)
        let count = arguments.optionalInteger("count", in: 1...Int64(Int32.max))
        let word = arguments.requiredChoice("kind", FaultWord.self)
        let kind: InjectedFault.Kind
        switch word {
        case .latency:
            kind = .latency(.milliseconds(arguments.integer("milliseconds", in: 1...600_000)))
        case .status: kind = .status(Int(arguments.integer("status", in: 400...599)))
        case .html: kind = .html
        case .cutBody: kind = .cutBody
        case .emptyBody: kind = .emptyBody
        case .receiptStatus:
            kind = .receiptStatus(
                arguments.integer("receipt_status", in: 0...99_999),
                isRetryable: arguments.optionalFlag("retryable"))
        case .apiError: kind = .apiError(arguments.integer("code", in: 4_000_000...5_999_999))
        case .rateLimit:
            kind = .rateLimit(.seconds(arguments.integer("seconds", in: 1...86_400)))
        case .timeout, nil: kind = .timeout
        }
        try arguments.finish()
        return InjectedFault(kind, of: endpoint, remaining: count.map { Int($0) })
    }
}

extension ConsumptionReport {
    var json: JSONValue {
        [
            "transaction_id": .string(transactionID), "version": .integer(version),
            "date": .string(date.rfc3339), "content": content,
        ]
    }
}
