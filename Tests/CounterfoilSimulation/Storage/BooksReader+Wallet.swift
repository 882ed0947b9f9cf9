// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilDatabase
import CounterfoilReferenceModel

extension BooksReader {
    var transfers: SQL {
        """
        SELECT transfer_id, unit, amount, kind, operation_id, reference, created_at FROM transfers
        ORDER BY transfer_id
        """
    }

    func transfer(_ row: Row) throws -> Books.Transfer {
        Books.Transfer(
            id: try row.uniqueID(0).description, unit: try row.text(1),
            amount: try row.integer(2), kind: try row.text(3),
            operation: try row.optionalUniqueID(4)?.description,
            reference: try row.optionalText(5), created: try row.integer(6))
    }

    /// Reads lots with what was taken of them, holds and credits.
    func readLots(into books: inout Books, _ digest: inout Fingerprint) throws {
        books.lots = try read(
            """
            SELECT lot_id, account_id, sale, amount, remaining, expires_at FROM lots ORDER BY 2, 1
            """, &digest
        ).map { row in
            Books.Lot(
                id: try row.uniqueID(0).description, account: try row.uniqueID(1).description,
                sale: try row.optionalText(2), amount: try row.integer(3),
                remaining: try row.integer(4), expires: try row.optionalInteger(5))
        }
        books.lotUses = try read(
            "SELECT transfer_id, lot_id, account_id, amount FROM lot_uses ORDER BY 1, 2", &digest
        ).map { row in
            Books.LotUse(
                transfer: try row.uniqueID(0).description, lot: try row.uniqueID(1).description,
                account: try row.uniqueID(2).description, amount: try row.integer(3))
        }
        books.holds = try read(
            """
            SELECT h.hold_id, h.environment, a.customer_id, h.unit, h.amount, h.state, h.posted,
            h.reference, h.expires_at, h.created_at, h.closed_at FROM holds h
            JOIN aliases a ON a.customer_key = h.customer_key ORDER BY 1
            """, &digest
        ).map(hold)
        books.credits = try read(
            """
            SELECT c.credit_id, c.environment, a.customer_id, c.unit, c.amount, c.bonus,
            c.reference, c.transaction_id, c.order_id, c.sale FROM credits c
            JOIN aliases a ON a.customer_key = c.customer_key ORDER BY c.created_at, 1
            """, &digest
        ).map(credit)
    }

    private func hold(_ row: Row) throws -> Books.Hold {
        Books.Hold(
            id: try row.uniqueID(0).description, environment: try row.text(1),
            customer: try row.text(2), unit: try row.text(3), amount: try row.integer(4),
            state: try row.text(5), posted: try row.integer(6),
            reference: try row.optionalText(7), expires: try row.integer(8),
            created: try row.integer(9), closed: try row.optionalInteger(10))
    }

    private func credit(_ row: Row) throws -> Books.Credit {
        Books.Credit(
            id: try row.uniqueID(0).description, environment: try row.text(1),
            customer: try row.text(2), unit: try row.text(3), paid: try row.integer(4),
            bonus: try row.integer(5), reference: try row.optionalText(6),
            transaction: try row.optionalText(7),
            order: try row.optionalUniqueID(8)?.description, sale: try row.optionalText(9))
    }

    /// A change of a wallet in the model's words; nil for another event.
    static func walletChange(_ data: JSONValue) -> String? {
        guard let kind = data["kind"]?.string, let operation = data["operation_id"]?.string,
            let change = data["changes"]?.array?.first, let unit = change["unit"]?.string
        else { return nil }
        // Nobody asked for it, so nobody knows its id.
        let what = kind == "expiry" ? kind : "\(kind) \(operation)"
        let amounts = ["paid", "bonus", "held", "debt"].map {
            "\($0) \(change[$0]?.int64 ?? .min)"
        }
        return "\(what): \(unit) \(amounts.joined(separator: " "))"
    }
}
