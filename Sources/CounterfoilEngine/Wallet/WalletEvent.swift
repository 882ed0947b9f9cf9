// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilDatabase
import CounterfoilStore

/// That a wallet changed otherwise than by a sale.
struct WalletEvent {
    let kind: TransferKind
    let operationID: UniqueID
    var hold: HoldRecord?
    var reason: String?
    var reference: String?

    /// Publishes it, with what was added to each account of the units (negative where it was taken).
    func publish(
        from before: Wallet, to after: Wallet, units: [UnitID], epoch: UniqueID
    ) throws {
        let changes = units.map { unit -> JSONValue in
            let (old, new) = (before.shown(unit), after.shown(unit))
            return [
                "unit": .string(unit.rawValue), "paid": .integer(new.paid - old.paid),
                "bonus": .integer(new.bonus - old.bonus), "held": .integer(new.held - old.held),
                "debt": .integer(new.debt - old.debt),
            ]
        }
        let data: JSONValue = [
            "kind": .string(kind.rawValue), "operation_id": .string(operationID.description),
            "changes": .array(changes), "hold_id": .optional(hold?.holdID.description),
            "reason": .optional(reason), "reference": .optional(reference),
        ]
        try Publisher(transaction: after.transaction, epoch: epoch, now: after.now).publish(
            EventDraft(
                id: DerivedID.ofOperation(
                    operationID, "event:\(EventType.walletChanged.rawValue):\(kind.rawValue)"),
                type: .walletChanged, app: after.app, environment: after.environment,
                customer: after.customer, data: data))
    }
}

extension Wallet {
    /// A unit's balances as they are shown.
    func shown(_ unit: UnitID) -> WalletBalance {
        WalletBalance(
            unit: unit, paid: balance(unit, .paid), bonus: balance(unit, .bonus),
            held: balance(unit, .held), debt: owed(unit))
    }
}
