// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilStore

/// What moves units: what its transfers are called, and from what their ids follow.
///
/// An act that is done a second time makes transfers with the same ids, which the database refuses.
struct WalletAct: Hashable {
    enum Origin: Hashable {
        /// A revision of a sale's grants.
        case sale(SaleReference, revision: Int64)

        /// Anything else, by an id that was drawn or derived for it.
        case operation(UniqueID)
    }

    let kind: TransferKind
    let origin: Origin
    var reason: String?
    var reference: String?

    init(_ kind: TransferKind, _ origin: Origin, reason: String? = nil, reference: String? = nil) {
        self.kind = kind
        self.origin = origin
        self.reason = reason
        self.reference = reference
    }

    /// The id of one of its transfers.
    ///
    /// - Parameter part: Tells the act's transfers apart.
    func transferID(_ part: String) -> UniqueID {
        switch origin {
        case .sale(let sale, let revision):
            DerivedID.of(sale, "transfer:\(part)", revision: revision)
        case .operation(let id):
            DerivedID.ofOperation(id, "transfer:\(kind.rawValue):\(part)")
        }
    }

    /// The id of the transfer by which it takes units from one account of a customer.
    func takingID(_ kind: AccountKind, _ unit: UnitID) -> UniqueID {
        transferID("\(self.kind.rawValue):\(kind.rawValue):\(unit)")
    }

    /// A transfer of the act.
    func transfer(
        _ id: UniqueID, _ amount: Int64, from: AccountRecord, to: AccountRecord, at now: Instant
    ) -> TransferRecord {
        var transfer: TransferRecord
        switch origin {
        case .sale(let sale, let revision):
            transfer = TransferRecord(
                transferID: id, from: from, to: to, amount: amount, kind: kind, sale: sale,
                revision: revision, createdAt: now)
        case .operation(let operation):
            transfer = TransferRecord(
                transferID: id, from: from, to: to, amount: amount, kind: kind, createdAt: now)
            transfer.operationID = operation
        }
        transfer.reason = reason
        transfer.reference = reference
        return transfer
    }
}
