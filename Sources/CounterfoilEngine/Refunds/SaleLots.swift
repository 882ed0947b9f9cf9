// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilDatabase
import CounterfoilStore

/// The lots as which units of a sale came, or debts of its refunds, and what merges made of them.
struct SaleLots {
    /// A merge's transfer, and the lot that it took from.
    struct Move: Hashable {
        let transfer: UniqueID
        let source: UniqueID
    }

    /// What merges moved, the last first.
    private(set) var moves: [Move] = []

    /// In whose wallets they are, or were.
    private(set) var customers: Set<UniqueID> = []

    /// - Parameters:
    ///   - given: The transfers that made the lots.
    ///   - owed: Those that made debts.
    init(
        given: [UniqueID], owed: [UniqueID], in transaction: any ReadTransaction
    ) throws {
        for id in given {
            guard let account = try transaction.transfer(id)?.to else { continue }
            if let lot = try transaction.lot(id, of: account) { try follow(lot, transaction) }
        }
        for id in owed {
            guard let account = try transaction.transfer(id)?.from else { continue }
            if let customer = account.customer { customers.insert(customer) }
            guard account.kind == .debt, let lot = try transaction.lot(id, of: account) else {
                continue
            }
            try follow(lot, transaction)
        }
    }

    private mutating func follow(
        _ lot: LotRecord, _ transaction: any ReadTransaction
    ) throws {
        if let customer = lot.account.customer { customers.insert(customer) }
        for (use, kind, _) in try transaction.lotUses(of: lot.lotID)
        where kind == TransferKind.merge.rawValue && use.amount > 0 {
            try follow(try transaction.lot(movedBy: use), transaction)
            moves.append(Move(transfer: use.transferID, source: lot.lotID))
        }
    }
}

extension GrantRecord {
    /// The transfers by which the sale's goods came, and those of credits that stood in for it.
    func givingTransfers(_ credits: [CreditRecord], at now: Instant) -> [UniqueID] {
        let goods = customer.map {
            GrantTransfers.of(frozenGoods ?? [], sale: sale, to: $0, at: now).map(\.transferID)
        }
        let kinds: [AccountKind] = [.paid, .bonus]
        return (goods ?? [])
            + credits.flatMap { credit in
                kinds.map {
                    WalletAct(.credit, .operation(credit.creditID)).transferID($0.rawValue)
                }
            }
    }
}
