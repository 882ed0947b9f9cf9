// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilEngine
import CounterfoilStore

extension WalletChange {
    /// The answer to whatever changes a wallet.
    var json: JSONValue {
        var object = JSONObject()
        object.append("operation_id", .string(operationID.description))
        object.append("customer_id", .string(customer.rawValue))
        object.append("environment", .string(environment.rawValue))
        object.append("balance", balance.json)
        if let hold { object.append("hold", hold.json) }
        return .object(object)
    }
}

extension HoldRecord {
    var json: JSONValue {
        [
            "hold_id": .string(holdID.description), "unit": .string(unit.rawValue),
            "amount": .integer(amount), "state": .string(state.rawValue),
            "posted": .integer(posted), "reason": .optional(reason),
            "reference": .optional(reference), "expires_at": .string(expiresAt.rfc3339),
            "created_at": .string(createdAt.rfc3339),
            "closed_at": .optional(closedAt?.rfc3339),
        ]
    }
}

extension StatementLine {
    var json: JSONValue {
        [
            "transfer_id": .string(transfer.transferID.description),
            "kind": .string(transfer.kind.rawValue), "unit": .string(transfer.unit.rawValue),
            "amount": .integer(transfer.amount),
            "from": .string(transfer.from.kind.rawValue),
            "to": .string(transfer.to.kind.rawValue),
            "sale": .optional(transfer.sale?.key),
            "operation_id": .optional(transfer.operationID?.description),
            "reason": .optional(transfer.reason), "reference": .optional(transfer.reference),
            "corrects": .optional(transfer.corrects?.description),
            "created_at": .string(transfer.createdAt.rfc3339),
            "lot": lot?.json ?? .null,
            "lots_used": .array(
                uses.map { use in
                    [
                        "lot_id": .string(use.lotID.description), "amount": .integer(use.amount),
                    ]
                }),
        ]
    }
}

extension LotRecord {
    fileprivate var json: JSONValue {
        [
            "lot_id": .string(lotID.description), "amount": .integer(amount),
            "remaining": .integer(remaining), "price": price?.json ?? .null,
            "expires_at": .optional(expiresAt?.rfc3339),
        ]
    }
}

extension EntryRecord {
    var json: JSONValue {
        [
            "transfer_id": .string(place.transferID.description),
            "unit": .string(unit.rawValue), "account": .string(account.rawValue),
            "amount": .integer(amount), "kind": .string(kind),
            "created_at": .string(place.createdAt.rfc3339),
        ]
    }
}

extension EntryPlace {
    /// The place as a page names it: milliseconds and two ids.
    var cursor: String { "\(createdAt.millisecondsSinceEpoch).\(transferID).\(accountID)" }

    init?(cursor: String) {
        let parts = cursor.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let milliseconds = Int64(parts[0]),
            let transfer = UniqueID(parts[1]), let account = UniqueID(parts[2])
        else { return nil }
        self.init(
            createdAt: Instant(millisecondsSinceEpoch: milliseconds), transferID: transfer,
            accountID: account)
    }
}
