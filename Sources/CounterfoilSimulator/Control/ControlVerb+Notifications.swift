// SPDX-License-Identifier: Apache-2.0
import CounterfoilApple
import CounterfoilCore

extension ControlVerb {
    static let notificationVerbs = [
        ControlVerb("set_notifications", "Which version of notifications is sent.") {
            app, arguments in
            let version = arguments.requiredChoice(
                "version", SimulatedAppStore.NotificationVersion.self)
            try arguments.finish()
            if let version { app.notificationVersion = version }
            return app.stateJSON
        },
        ControlVerb("disturb", "Lose, delay, double or reorder the next notifications.") {
            app, arguments in
            func count(_ name: String) -> Int? {
                arguments.optionalInteger(name, in: 0...100_000).map { Int($0) }
            }
            let (lose, delay, duplicate, reorder) = (
                count("lose"), count("delay"), count("duplicate"), count("reorder")
            )
            let seconds = arguments.optionalInteger("delay_seconds", in: 1...31_536_000)
            try arguments.finish()
            if let lose { app.outbox.disturbance.lossCount = lose }
            if let delay { app.outbox.disturbance.delayCount = delay }
            if let seconds { app.outbox.disturbance.delay = .seconds(seconds) }
            if let duplicate { app.outbox.disturbance.duplicateCount = duplicate }
            if let reorder { app.outbox.disturbance.reorderCount = reorder }
            return [:]
        },
        ControlVerb("release", "Send what is held back for another order, the newest first.") {
            app, arguments in
            try arguments.finish()
            app.outbox.release(at: app.store.now)
            return [:]
        },
        ControlVerb("outage", "Stop all sending, or go on.") { app, arguments in
            let isOn = arguments.flag("on", default: true)
            try arguments.finish()
            if isOn { app.outbox.beginOutage() } else { app.outbox.endOutage() }
            return app.stateJSON
        },
        ControlVerb("test_notification", "Send a test notification.") { app, arguments in
            try arguments.finish()
            app.store.requestTestNotification()
            return [:]
        },
        ControlVerb("external_token", "Make a token for purchases outside the store.") {
            app, arguments in
            let type = arguments.optionalText("type")
            try arguments.finish()
            let token = app.store.createExternalToken(
                type.map { ExternalPurchaseTokenType(rawValue: $0) })
            return ["external_purchase_id": .string(token.externalPurchaseID)]
        },
        ControlVerb("remind_external_token", "Remind of a token that is still active.") {
            app, arguments in
            let token = arguments.text("token")
            try arguments.finish()
            try app.store.remindOfExternalToken(token)
            return [:]
        },
        ControlVerb("report_external_token", "Report a token's purchases.") { app, arguments in
            let token = arguments.text("token")
            try arguments.finish()
            try app.store.reportExternalToken(token)
            return [:]
        },
        ControlVerb("notifications", "The notifications so far, with every try.") {
            app, arguments in
            let account = arguments.optionalText("account")
            try arguments.finish()
            let entries = app.outbox.history.map(\.entry)
                .filter { account == nil || $0.notification.account == account }
            return [
                "notifications": .array(
                    entries.suffix(Limits.notificationsShown).map(\.json))
            ]
        },
    ]
}

extension NotificationOutbox.Entry {
    var json: JSONValue {
        [
            "name": .string(notification.name), "id": .string(notification.id.description),
            "account": .optional(notification.account),
            "transaction_id": .optional(notification.transaction?.transactionID),
            "signed": .string(notification.signedDate.rfc3339),
            "delivered": .bool(isDelivered),
            "attempts": .array(
                attempts.map {
                    ["date": .string($0.date.rfc3339), "result": .string($0.result.rawValue)]
                }),
            "next_attempt": .optional(nextAttempt?.rfc3339),
        ]
    }
}
