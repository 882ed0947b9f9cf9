// SPDX-License-Identifier: Apache-2.0
import CounterfoilApple
import CounterfoilCore

extension ControlVerb {
    static let accountVerbs = [
        ControlVerb("account", "Open an Apple account.") { app, arguments in
            let name = arguments.text("name")
            let storefront = arguments.optionalText("storefront")
            let isChild = arguments.flag("child")
            try arguments.finish()
            let account = try app.store.createAccount(
                name, storefront: try storefront.map(storefrontNamed), isChild: isChild)
            return account.json
        },
        ControlVerb("set_account", "Change an account's country, or whether it asks to buy.") {
            app, arguments in
            let name = arguments.text("account")
            let storefront = arguments.optionalText("storefront")
            let isChild = arguments.optionalFlag("child")
            try arguments.finish()
            if let storefront {
                try app.store.setStorefront(try storefrontNamed(storefront), of: name)
            }
            if let isChild { try app.store.setChild(isChild, of: name) }
            return try app.store.account(name).json
        },
        ControlVerb("device", "Sign an account in on a new device.") { app, arguments in
            let name = arguments.text("account")
            let platform = arguments.optionalText("platform") ?? Platform.iOS.rawValue
            try arguments.finish()
            return try app.store.addDevice(to: name, platform: platform).json
        },
        ControlVerb("family", "Make a family; the first is the organizer.") { app, arguments in
            let members = arguments.texts("members") ?? []
            try arguments.finish()
            try app.store.createFamily(members)
            return ["members": .array(members.map { .string($0) })]
        },
        ControlVerb("join_family", "Let an account join the family of another.") {
            app, arguments in
            let (account, other) = (arguments.text("account"), arguments.text("family_of"))
            try arguments.finish()
            try app.store.join(account, familyOf: other)
            return try app.store.account(account).json
        },
        ControlVerb("leave_family", "Let an account leave its family.") { app, arguments in
            let account = arguments.text("account")
            try arguments.finish()
            try app.store.leaveFamily(account)
            return try app.store.account(account).json
        },
        ControlVerb("share", "Share a purchase with the buyer's family.") { app, arguments in
            let transaction = arguments.text("transaction")
            try arguments.finish()
            let copies = try app.store.shareWithFamily(transaction)
            return ["transaction_ids": .array(copies.map { .string($0) })]
        },
        ControlVerb("revoke_family", "Stop sharing a purchase, with all or with one member.") {
            app, arguments in
            let transaction = arguments.text("transaction")
            let member = arguments.optionalText("member")
            try arguments.finish()
            try app.store.revokeFamily(transaction, member: member)
            return [:]
        },
        ControlVerb("rescind_consent", "A parent withdraws consent to a child's use of the app.") {
            app, arguments in
            let account = arguments.text("account")
            try arguments.finish()
            try app.store.rescindConsent(account)
            return try app.store.account(account).json
        },
    ]

    private static func storefrontNamed(_ country: String) throws(ControlError) -> Storefront {
        guard let storefront = Storefront(country: country) else {
            throw .value("storefront", "is no storefront", allowed: Storefront.countries)
        }
        return storefront
    }
}

extension AppleAccount {
    var json: JSONValue {
        [
            "name": .string(name), "storefront": .string(storefront.country),
            "app_transaction_id": .string(appTransactionID), "child": .bool(isChild),
            "billing_failing": .bool(isBillingFailing),
            "consent_rescinded": .bool(hasRescindedConsent),
            "family": .array(family.map { .string($0) }),
            "devices": .array(devices.map(\.json)), "created": .string(created.rfc3339),
        ]
    }
}

extension SimulatedDevice {
    var json: JSONValue {
        ["id": .string(id.description), "platform": .string(platform)]
    }
}
