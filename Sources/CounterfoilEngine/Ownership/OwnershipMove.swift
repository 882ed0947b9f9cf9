// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilDatabase
import CounterfoilStore

/// Moves an original from its owner to another customer, inside a transaction that has locked it.
///
/// Only rights move. What a wallet received stays in it, and with it what a refund takes back.
struct OwnershipMove {
    /// Who decided it.
    enum Cause: String {
        /// The app's policy, as another customer proved the purchase.
        case policy

        /// The studio, by the interface.
        case studio

        /// The studio, as it took a transfer back.
        case undo
    }

    let transaction: any WriteTransaction
    let original: OriginalReference
    let productID: ProductID

    /// All sales of the original.
    let sales: [SaleReference]
    let epoch: UniqueID
    let now: Instant

    /// - Parameter family: The original's transactions.
    init(
        of original: OriginalReference, _ family: [TransactionRecord], and sale: SaleReference?,
        in transaction: any WriteTransaction, epoch: UniqueID, at now: Instant
    ) {
        let keys = Set(family.compactMap(\.sale) + [sale?.key].compactMap(\.self))
        self.transaction = transaction
        self.original = original
        productID = family[0].identity.value.productID
        sales = keys.filter { $0.hasPrefix("o:") }.sorted().map {
            SaleReference(app: original.app, environment: original.environment, key: $0)
        }
        self.epoch = epoch
        self.now = now
    }

    /// Locks all that a move between the customers touches, in the order of all locks.
    func lock(_ customers: Set<UniqueID>) throws {
        for sale in sales { try transaction.lock(.sale(sale)) }
        for customer in customers.sorted() {
            try transaction.lockWallet(original.app, original.environment, customer)
        }
    }

    /// Moves the original and tells both customers' readers.
    ///
    /// - Parameters:
    ///   - from: The owner by the key under which it owns; nil for none.
    ///   - to: The owner that it is to have.
    ///   - id: nil derives one, where none was drawn before the transaction.
    func move(
        from: UniqueID?, to: UniqueID, _ cause: Cause, reason: String? = nil,
        undoing undone: UniqueID? = nil, id: UniqueID? = nil
    ) throws -> OwnershipTransferRecord {
        let place = (try transaction.lastOwnershipTransfer(of: original)?.place ?? 0) + 1
        let transfer = OwnershipTransferRecord(
            original: original, place: place, transferID: id ?? derivedID(place), from: from,
            to: to, cause: cause.rawValue, reason: reason, undoes: undone, createdAt: now)
        try transaction.insert(transfer)
        for sale in sales {
            try transaction.setOwner(to, of: sale)
            try RightHolders.lay(sale, in: transaction)
        }
        // Both may be one customer by now.
        let readers = Set(try [from, to].compactMap(\.self).map { try transaction.current($0) })
        for customer in readers.sorted() {
            try publish(transfer, to: customer)
        }
        return transfer
    }

    private func derivedID(_ place: Int64) -> UniqueID {
        DerivedID.digest([
            "ownership_transfer", original.app.rawValue, original.environment.rawValue,
            original.id.rawValue, String(place),
        ])
    }

    private func publish(_ transfer: OwnershipTransferRecord, to customer: UniqueID) throws {
        var data = try OwnershipTransferView(transfer, in: transaction).jsonObject
        data.append("product_id", .string(productID.rawValue))
        try Publisher(transaction: transaction, epoch: epoch, now: now).publish(
            EventDraft(
                id: DerivedID.digest([
                    "ownership_changed", transfer.transferID.description, customer.description,
                ]),
                type: .ownershipChanged, app: original.app, environment: original.environment,
                customer: customer, data: .object(data)))
    }
}
