// SPDX-License-Identifier: Apache-2.0
public import CounterfoilCore

extension ControlVerb {
    static let clockVerbs = [
        ControlVerb("state", "The clock, the settings and how much there is.") { app, arguments in
            try arguments.finish()
            return app.stateJSON
        },
        ControlVerb("advance", "Move the clock; everything on the way happens at its moment.") {
            app, arguments in
            try app.advance(to: app.advanceTarget(&arguments))
            return app.stateJSON
        },
        ControlVerb("skew", "Let what is signed be dated off the store's time, in seconds.") {
            app, arguments in
            let seconds = arguments.integer("seconds", in: -86_400...86_400)
            try arguments.finish()
            app.store.clockSkew = .seconds(seconds)
            return app.stateJSON
        },
        ControlVerb("set_time_rate", "How fast subscriptions live, by Apple's number.") {
            app, arguments in
            let number = arguments.integer("rate", in: 0...Int64(Int32.max))
            try arguments.finish()
            guard let rate = TimeRate(rawValue: number) else {
                throw ControlError.value(
                    "rate", "is no rate of Apple's",
                    allowed: TimeRate.assignedRawValues.map { String($0) })
            }
            app.store.settings.timeRate = rate
            return app.stateJSON
        },
        ControlVerb("settings", "Change how the store behaves.") { app, arguments in
            let askToBuy = arguments.optionalFlag("ask_to_buy")
            let interruption = arguments.optionalFlag("interrupted_purchases")
            let failing = arguments.optionalFlag("failing_renewals")
            let grace = arguments.optionalInteger("grace_days", in: 0...28)
            let secret = arguments.optionalText("shared_secret")
            let limit = arguments.optionalInteger("renewal_limit", in: 0...Int64(Int32.max))
            try arguments.finish()
            guard grace == nil || [0, 3, 16, 28].contains(grace) else {
                throw ControlError.value(
                    "grace_days", "is none that Apple offers", allowed: ["0", "3", "16", "28"])
            }
            if let askToBuy { app.store.settings.isAskToBuyOn = askToBuy }
            if let interruption { app.store.settings.isInterruptionOn = interruption }
            if let failing { app.store.settings.isBillingFailing = failing }
            if let grace { app.store.settings.graceDays = grace == 0 ? nil : grace }
            if let secret { app.store.settings.sharedSecret = secret }
            if let limit { app.store.settings.renewalLimit = limit == 0 ? nil : limit }
            return app.stateJSON
        },
    ]
}

extension SimulatedAppStore {
    /// Moves the clock; notifications wait in the outbox.
    ///
    /// - Throws: `clock.backwards`.
    public mutating func advance(to target: Instant) throws(StoreError) {
        collectNotifications()
        while let next = store.nextDue, next < target {
            try store.advance(to: max(next, store.now))
            collectNotifications()
        }
        try store.advance(to: target)
        collectNotifications()
    }

    /// Where the verb `advance` leads, for whoever delivers what comes on the way.
    public func advanceTarget(_ body: JSONValue) throws(ControlError) -> Instant {
        var arguments = ControlArguments(body)
        return try advanceTarget(&arguments)
    }

    /// The next moment before the target at which something happens or is to be sent; nil for none.
    public func nextMoment(before target: Instant) -> Instant? {
        [outbox.nextDue, store.nextDue].compactMap { $0 }.min().flatMap {
            $0 < target ? max($0, store.now) : nil
        }
    }

    func advanceTarget(_ arguments: inout ControlArguments) throws(ControlError) -> Instant {
        let period = arguments.period("by", isRequired: false)
        let moment = arguments.optionalInstant("to")
        try arguments.finish()
        switch (period, moment) {
        case (let period?, nil): return store.now + period
        case (nil, let moment?): return moment
        default: throw ControlError.value("by or to", "must be given, one of the two")
        }
    }

    /// The clock, the settings and how much there is.
    public var stateJSON: JSONValue {
        let settings = store.settings
        return [
            "now": .string(store.now.rfc3339), "bundle_id": .string(settings.bundleID),
            "app_apple_id": .integer(settings.appAppleID),
            "environment": .string(settings.environment.rawValue),
            "storefront": .string(settings.storefront.country),
            "time_rate": .integer(settings.timeRate.rawValue),
            "clock_skew_seconds": .integer(store.clockSkew.wholeMilliseconds / 1000),
            "ask_to_buy": .bool(settings.isAskToBuyOn),
            "interrupted_purchases": .bool(settings.isInterruptionOn),
            "failing_renewals": .bool(settings.isBillingFailing),
            "grace_days": settings.graceDays.map { .integer($0) } ?? .null,
            "renewal_limit": settings.renewalLimit.map { .integer($0) } ?? .null,
            "notifications": .string(notificationVersion.rawValue),
            "outage": .bool(outbox.isOutage), "released": .bool(isReleased),
            "accounts": .integer(store.accounts.count),
            "transactions": .integer(store.transactions.count),
            "next_event": .optional(store.nextDue?.rfc3339),
            "next_delivery": .optional(outbox.nextDue?.rfc3339),
            "last_unauthenticated": .optional(lastRefusal),
        ]
    }
}
