// SPDX-License-Identifier: Apache-2.0
import CounterfoilDatabase

/// Which rows a transaction must have locked before it writes.
///
/// The simulation runs one transaction at a time, so a missing lock does no harm in it; with several
/// writers it would. Therefore the rule itself is checked.
///
/// `@unchecked Sendable`: used on the scheduler's thread alone, as ``Scheduler`` proves.
final class LockDiscipline: @unchecked Sendable {
    private var locked: [String: [[DatabaseValue]]] = [:]
    private(set) var findings: [String] = []

    /// The lock that a table's rows need before they are inserted or changed.
    private static let needs: [(statement: String, lock: String)] = [
        ("INSERT INTO grants", "sales"), ("UPDATE orders", "orders"),
        ("INSERT INTO transfers", "wallets"), ("INSERT INTO entitlement_periods", "wallets"),
        ("UPDATE accounts", "wallets"), ("INSERT INTO lots", "wallets"),
        ("UPDATE lots", "wallets"), ("INSERT INTO holds", "wallets"),
        ("UPDATE holds", "wallets"), ("INSERT INTO credits", "wallets"),
        ("UPDATE credits", "wallets"),
    ]

    func lock(_ key: LockKey) {
        if key.table.name == "sales", locked["wallets"] != nil {
            findings.append("a sale was locked behind a wallet")
        }
        if key.table.name == "orders", locked["wallets"] != nil {
            findings.append("an order was locked behind a wallet")
        }
        if key.table.name == "sales", locked["orders"] != nil {
            findings.append("a sale was locked behind an order")
        }
        if key.table.name == "originals", locked["sales"] != nil {
            findings.append("an original was locked behind a sale")
        }
        locked[key.table.name, default: []].append(key.values)
    }

    func run(_ sql: SQL) {
        let text = sql.text
        for need in Self.needs where text.hasPrefix(need.statement) && locked[need.lock] == nil {
            findings.append("\(need.statement) without a lock on \(need.lock)")
        }
    }
}
