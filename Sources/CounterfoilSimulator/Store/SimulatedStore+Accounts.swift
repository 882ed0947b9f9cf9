// SPDX-License-Identifier: Apache-2.0
import CounterfoilApple
import CounterfoilCore

extension SimulatedStore {
    /// Opens an Apple account that obtains the app now.
    ///
    /// - Parameters:
    ///   - name: Any text; it stands in no payload.
    ///   - storefront: Its country; the settings' where nil.
    ///   - isChild: Whether each of its purchases waits for approval.
    /// - Throws: `account.exists`.
    @discardableResult
    public mutating func createAccount(
        _ name: String, storefront: Storefront? = nil, isChild: Bool = false
    ) throws(StoreError) -> AppleAccount {
        guard accountPositions[name] == nil else {
            throw StoreError(.accountExists, "there is an account \(name) already")
        }
        let position = accounts.count
        let country = storefrontPosition(storefront ?? settings.storefront)
        var account = AccountRecord(name: name, storefront: country, created: now)
        account.isChild = isChild
        accounts.append(account)
        accountPositions[name] = Int32(position)
        return self.account(at: position)
    }

    /// All accounts in the order they were opened.
    public var allAccounts: [AppleAccount] { accounts.indices.map(account(at:)) }

    /// One account.
    ///
    /// - Throws: `account.unknown`.
    public func account(_ name: String) throws(StoreError) -> AppleAccount {
        account(at: try accountPosition(name))
    }

    /// Moves an account to another country; its next purchases and renewals have that country's prices.
    ///
    /// - Throws: `account.unknown`.
    public mutating func setStorefront(
        _ storefront: Storefront, of account: String
    ) throws(StoreError) {
        let position = try accountPosition(account)
        accounts[position].storefront = storefrontPosition(storefront)
    }

    /// Lets an account's purchases wait for approval, or no longer.
    ///
    /// - Throws: `account.unknown`.
    public mutating func setChild(_ isChild: Bool, of account: String) throws(StoreError) {
        accounts[try accountPosition(account)].isChild = isChild
    }

    /// Signs an account in on a new device.
    ///
    /// - Throws: `account.unknown`.
    @discardableResult
    public mutating func addDevice(
        to account: String, platform: String = "iOS"
    ) throws(StoreError) -> SimulatedDevice {
        let position = try accountPosition(account)
        let device = SimulatedDevice(id: UniqueID.random(random), platform: platform)
        accounts[position].devices.append(device)
        return device
    }

    /// Taps a promoted product in the App Store: the app is told by ``takePurchaseIntents(of:)`` and
    /// decides when to buy.
    ///
    /// - Throws: `account.unknown`, `product.unknown`.
    public mutating func promote(
        _ productID: String, to account: String
    ) throws(StoreError) {
        let position = try accountPosition(account)
        accounts[position].intents.append(Int32(try productPosition(productID)))
    }

    /// The products whose promotion was tapped since the last time.
    ///
    /// - Throws: `account.unknown`.
    public mutating func takePurchaseIntents(of account: String) throws(StoreError) -> [String] {
        let position = try accountPosition(account)
        let intents = accounts[position].intents.map { shelf[Int($0)].product.id }
        accounts[position].intents = []
        return intents
    }

    /// A parent withdraws consent: `RESCIND_CONSENT`. A repeat tells it once more.
    ///
    /// - Throws: `account.unknown`.
    public mutating func rescindConsent(_ account: String) throws(StoreError) {
        let position = try accountPosition(account)
        accounts[position].hasRescindedConsent = true
        announce(
            .rescindConsent, content: .appData(appTransaction(at: position)), account: position)
    }

    func account(at position: Int) -> AppleAccount {
        let record = accounts[position]
        let family = record.family < 0 ? [] : families[Int(record.family)].members
        return AppleAccount(
            name: record.name, storefront: storefronts[Int(record.storefront)],
            appTransactionID: appTransactionID(position), isChild: record.isChild,
            isBillingFailing: record.isBillingFailing,
            hasRescindedConsent: record.hasRescindedConsent,
            family: family.map { accounts[Int($0)].name }, devices: record.devices,
            created: record.created)
    }
}
