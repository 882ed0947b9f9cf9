// SPDX-License-Identifier: Apache-2.0
import CounterfoilDatabase
import Testing

/// Something done to the books by hand, and the table in which it must be seen.
struct Tampering: Sendable, CustomTestStringConvertible {
    let table: String
    let statements: [SQL]

    init(_ table: String, _ statements: SQL...) {
        self.table = table
        self.statements = statements
    }

    var testDescription: String { statements.map(\.text).joined(separator: "; ") }

    static let all = ledger + rights + events + sales + grants

    private static let ledger = [
        Tampering(
            "accounts",
            "UPDATE accounts SET balance = balance + 1 WHERE balance > 0 AND kind = 'bonus'"),
        Tampering("accounts", "DELETE FROM entries WHERE amount = 10"),
        Tampering(
            "accounts", toAnother("UPDATE accounts SET customer_key = ", "customer_key IS NOT NULL")
        ),
        Tampering("accounts", "UPDATE accounts SET unit = 'gems' WHERE customer_key IS NOT NULL"),
        Tampering("accounts", "UPDATE accounts SET customer_key = NULL WHERE kind = 'bonus'"),
        Tampering(
            "accounts",
            """
            UPDATE accounts SET customer_key = NULL, balance = NULL, kind = 'issued'
            WHERE customer_key IS NOT NULL
            """),
        Tampering("accounts", "UPDATE accounts SET balance = NULL WHERE kind = 'paid'"),
        Tampering("accounts", "UPDATE accounts SET balance = 0 WHERE kind = 'issued'"),
        Tampering("accounts", "UPDATE accounts SET kind = 'gift' WHERE kind = 'bonus'"),
        Tampering("transfers", "DELETE FROM entries WHERE amount < 0"),
        Tampering("transfers", "UPDATE transfers SET amount = amount + 1"),
        Tampering("transfers", "UPDATE transfers SET unit = 'gems'"),
        Tampering("transfers", "DELETE FROM transfers WHERE amount = 10"),
        Tampering("transfers", "DELETE FROM grants WHERE product_id = 'coins100'"),
        Tampering("transfers", "UPDATE transfers SET sale = NULL, revision = NULL"),
        Tampering(
            "transfers",
            """
            INSERT INTO transfers
            (transfer_id, app, environment, unit, amount, kind, created_at)
            SELECT account_id, app, environment, unit, 1000000, 'grant', 0 FROM accounts
            WHERE kind = 'paid'
            """,
            """
            INSERT INTO entries (account_id, transfer_id, amount)
            SELECT account_id, account_id, 1000000 FROM accounts WHERE kind = 'paid'
            """,
            "UPDATE accounts SET balance = balance + 1000000 WHERE kind = 'paid'"),
        Tampering(
            "entries",
            """
            INSERT INTO entries (account_id, transfer_id, amount)
            SELECT account_id, customer_key, 1000000 FROM accounts WHERE kind = 'paid'
            """,
            "UPDATE accounts SET balance = balance + 1000000 WHERE kind = 'paid'"),
        Tampering("lots", "UPDATE lots SET remaining = remaining - 1 WHERE remaining > 1"),
        Tampering(
            "lots", "UPDATE lots SET lot_id = account_id WHERE sale = 't:T1' AND amount = 100"),
        Tampering("balances", "DELETE FROM lots WHERE sale = 't:T1'"),
        Tampering(
            "lot_uses",
            "UPDATE lots SET amount = amount + 1, remaining = remaining + 1 WHERE is_open = 1"),
        Tampering("lot_uses", "DELETE FROM lot_uses"),
        Tampering("entries", "DELETE FROM accounts WHERE kind = 'issued'"),
        Tampering("entries", "DELETE FROM accounts WHERE kind = 'bonus'"),
    ]

    private static let rights = [
        Tampering(
            "entitlement_periods",
            "UPDATE entitlement_periods SET ends_at = ends_at + 1 WHERE ends_at IS NOT NULL"),
        Tampering(
            "entitlement_periods",
            "UPDATE entitlement_periods SET starts_at = 0 WHERE entitlement = 'no_ads'"),
        Tampering(
            "entitlement_periods",
            "UPDATE entitlement_periods SET is_revoked = 1 WHERE entitlement = 'pass'"),
        Tampering(
            "entitlement_periods",
            "UPDATE entitlement_periods SET quantity = 2 WHERE entitlement = 'pass'"),
        Tampering(
            "entitlement_periods",
            "DELETE FROM entitlement_periods WHERE entitlement = 'no_ads'"),
        Tampering("entitlement_periods", "DELETE FROM grants WHERE product_id = 'noads'"),
        Tampering(
            "entitlement_periods",
            toAnother("UPDATE entitlement_periods SET customer_key = ", "entitlement = 'pass'")),
    ]

    private static let events = [
        Tampering("wallets", "UPDATE wallets SET sequence = sequence + 1"),
        Tampering("wallets", "DELETE FROM wallets"),
        Tampering("wallets", "DELETE FROM events WHERE sequence = 1"),
        Tampering("wallets", "DELETE FROM events WHERE sequence = 2"),
        Tampering(
            "wallets",
            """
            DELETE FROM events WHERE sequence = (SELECT MAX(e.sequence) FROM events e
            WHERE e.customer_key = events.customer_key)
            """),
        Tampering("events", "DELETE FROM events WHERE customer_key IS NULL"),
        Tampering(
            "events",
            "UPDATE events SET event_id = customer_key WHERE type = 'purchase.fulfilled' AND sequence = 1"
        ),
        Tampering("events", "UPDATE events SET body = '{}' WHERE type = 'purchase.fulfilled'"),
        Tampering(
            "events",
            """
            UPDATE grants SET goods = '[{"unit":"sword","amount":2,"bonus":0,"held_by":"game"}]'
            WHERE product_id = 'sword1' AND goods IS NOT NULL
            """),
    ]

    private static let sales = [
        Tampering("sales", "DELETE FROM sales WHERE type = 'consumable'"),
        Tampering("sales", "UPDATE sales SET type = 'gift' WHERE type = 'consumable'"),
        Tampering(
            "sale_keys", "DELETE FROM sale_keys WHERE sale LIKE 'o:%' AND identity LIKE 't:%'"),
        Tampering("sale_keys", "UPDATE sale_keys SET sale = 't:other' WHERE sale = 't:T1'"),
        Tampering("transactions", "UPDATE transactions SET sale = NULL"),
        Tampering(
            "transactions", "UPDATE transactions SET sale = 't:T1' WHERE transaction_id = 'T2'"),
        Tampering("transactions", "DELETE FROM transactions WHERE product_id = 'sword1'"),
    ]

    private static let grants = [
        Tampering("grants", "UPDATE grants SET goods = '[{}]' WHERE product_id = 'coins100'"),
        Tampering("grants", "DELETE FROM grants WHERE product_id = 'sword1'"),
        Tampering("grants", "DELETE FROM grants WHERE product_id = 'unheard_of'"),
        Tampering(
            "grants",
            """
            DELETE FROM entries WHERE transfer_id IN
            (SELECT transfer_id FROM transfers WHERE sale = 't:T1')
            """,
            "DELETE FROM transfers WHERE sale = 't:T1'", "DELETE FROM grants WHERE sale = 't:T1'",
            """
            UPDATE accounts SET balance = (SELECT COALESCE(SUM(amount), 0) FROM entries
            WHERE entries.account_id = accounts.account_id) WHERE customer_key IS NOT NULL
            """),
        Tampering("grants", "DELETE FROM grants WHERE sale = 't:R2'"),
        Tampering("grants", "UPDATE grants SET quantity = 2 WHERE product_id = 'sword1'"),
        Tampering("grants", "UPDATE grants SET product_id = 'sword2' WHERE product_id = 'sword1'"),
        Tampering("grants", toAnother("UPDATE grants SET customer_key = ", "sale = 't:T3'")),
        Tampering("grants", toAnother("UPDATE transactions SET customer_key = ", "sale = 't:T3'")),
        Tampering("grants", "UPDATE transactions SET product_id = 'x' WHERE sale = 't:T3'"),
        Tampering("grants", "UPDATE transactions SET quantity = 99 WHERE sale = 't:T3'"),
        Tampering("grants", "UPDATE grants SET grant_id = customer_key WHERE sale = 't:T3'"),
        Tampering("grants", "UPDATE grants SET goods = NULL WHERE sale = 't:T3'"),
        Tampering("grants", "UPDATE grants SET state = 'due' WHERE product_id = 'unheard_of'"),
        Tampering(
            "grants",
            "UPDATE transactions SET parked_reason = NULL WHERE product_id = 'unheard_of'"),
    ]

    /// A statement that gives what it names to the second customer.
    private static func toAnother(_ update: SQL, _ condition: SQL) -> SQL {
        update + "(SELECT customer_key FROM aliases WHERE customer_id = 'u2') WHERE " + condition
    }
}
