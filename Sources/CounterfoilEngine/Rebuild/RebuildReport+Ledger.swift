// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilStore

// Whether units move by transfers only, and between the accounts that they name.
extension RebuildReport {
    mutating func compareTransfers(_ page: RebuildPage) throws -> PageEnd? {
        let (number, orphans, end) = try page.transaction.transfersWithoutGrant(
            after: page.after, limit: page.limit)
        count(.transfers, number)
        for id in orphans {
            add(
                Difference(
                    "transfers", id.description, expected: nil,
                    stored: "a transfer without a grant"))
        }
        return end
    }

    mutating func compareAccounts(_ page: RebuildPage) throws -> PageEnd? {
        let (accounts, end) = try page.transaction.accounts(after: page.after, limit: page.limit)
        count(.accounts, accounts.count)
        for account in accounts {
            compare(
                "accounts", expected: [account.rowKey: account.derivedJSON],
                stored: [account.rowKey: account.rowJSON])
        }
        return end
    }

    mutating func compareEntries(_ page: RebuildPage) throws -> PageEnd? {
        let (entries, end) = try page.transaction.entries(after: page.after, limit: page.limit)
        count(.entries, entries.count)
        for entry in entries where !entry.hangsTogether {
            add(
                Difference(
                    "entries", "\(entry.accountID), \(entry.transferID)",
                    expected: "an entry whose transfer and account have one unit",
                    stored: entry.json))
        }
        return end
    }
}

extension StoredAccount: ComparedRow {
    var rowKey: String {
        "\(accountID) (\(app), \(environment.rawValue), \(unit), \(kind))"
    }

    var rowJSON: JSONValue {
        [
            "account_id": .string(accountID.description),
            "is_of_a_customer": .bool(customer != nil),
            "balance": balance.map { .integer($0) } ?? .null,
        ]
    }

    /// What the row should be, seeing whose account it is and of what: an account that was moved or
    /// renamed does not have the id that follows from that.
    fileprivate var derivedJSON: JSONValue {
        guard let kind = AccountKind(rawValue: kind) else { return "an account of a known kind" }
        let isCustomers = kind.isCustomers
        let id = DerivedID.account(app, environment, customer: customer, unit, kind)
        return [
            "account_id": .string(id.description), "is_of_a_customer": .bool(isCustomers),
            "balance": isCustomers ? .integer(sum) : .null,
        ]
    }
}

extension StoredEntry {
    fileprivate var hangsTogether: Bool {
        transferUnit != nil && transferUnit == accountUnit
    }

    fileprivate var json: JSONValue {
        [
            "amount": .integer(amount), "transfer_unit": .optional(transferUnit),
            "account_unit": .optional(accountUnit),
        ]
    }
}
