// SPDX-License-Identifier: Apache-2.0
import CounterfoilApple
public import CounterfoilCore

extension SimulatedStore {
    /// The app receipt that a device of the account holds now, not yet signed: finished consumables
    /// have left it.
    ///
    /// - Parameter device: One of the account's devices; nil for no particular one.
    /// - Throws: `account.unknown`, `device.unknown`.
    public func receipt(
        of account: String, device: UniqueID? = nil
    ) throws(StoreError) -> SimulatedReceipt {
        let position = try accountPosition(account)
        let record = accounts[position]
        if let device, !record.devices.contains(where: { $0.id == device }) {
            throw StoreError(
                .deviceUnknown, "\(account) has no device \(device)",
                allowed: record.devices.map(\.id.description))
        }
        let purchases = visible(position).filter(isInReceipt).map(purchase(at:))
        var receipt = SimulatedReceipt(
            bundleID: settings.bundleID, environment: settings.environment,
            creationDate: signingDate, purchases: purchases)
        receipt.applicationVersion = settings.bundleVersion
        if settings.environment == .production {
            receipt.appAppleID = settings.appAppleID
            receipt.originalPurchaseDate = record.created
            receipt.originalApplicationVersion = settings.bundleVersion
        } else {
            receipt.originalPurchaseDate = Instant(secondsSinceEpoch: Self.sandboxPurchase)
        }
        if let device { receipt.deviceID = device.bytes }
        return receipt
    }

    /// The sandbox says that every app was bought on 1 August 2013 at seven.
    private static let sandboxPurchase: Int64 = 1_375_340_400

    /// What `latest_receipt_info` lists, the newest first; empty without subscriptions.
    ///
    /// - Parameter excludingOld: Whether only each subscription's newest transaction is wanted.
    /// - Throws: `account.unknown`.
    public func latestReceiptTransactions(
        of account: String, excludingOld: Bool = false
    ) throws(StoreError) -> [SimulatedPurchase] {
        let position = try accountPosition(account)
        guard !accounts[position].subscriptions.isEmpty else { return [] }
        let newest = Set(accounts[position].subscriptions.map { subscriptions[Int($0)].latest })
        return visible(position).reversed().filter { transaction in
            guard isInReceipt(transaction) else { return false }
            let isSubscription = shelf[Int(transactions[transaction].product)].group >= 0
            return !excludingOld || !isSubscription || newest.contains(Int32(transaction))
        }.map(purchase(at:))
    }

    /// What `pending_renewal_info` lists: one entry per subscription.
    ///
    /// - Throws: `account.unknown`.
    public func pendingRenewals(of account: String) throws(StoreError) -> [SimulatedRenewal] {
        accounts[try accountPosition(account)].subscriptions.map { renewal(at: Int($0)) }
    }

    private func isInReceipt(_ position: Int) -> Bool {
        let record = transactions[position]
        return shelf[Int(record.product)].product.kind != .consumable
            || !record.flags.contains(.isFinished)
    }
}
