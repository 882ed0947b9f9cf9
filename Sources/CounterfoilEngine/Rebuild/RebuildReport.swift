// SPDX-License-Identifier: Apache-2.0

package import CounterfoilCore

/// How the derived tables compare with what they are derived from.
package struct RebuildReport: Sendable {
    /// One row that is not as it should be.
    package struct Difference: Hashable, Sendable {
        package let table: String

        /// Which row, for people.
        package let key: String

        /// What the row should be; nil where there should be none.
        package let expected: JSONValue?

        /// What it is; nil where there is none.
        package let stored: JSONValue?

        package init(_ table: String, _ key: String, expected: JSONValue?, stored: JSONValue?) {
            self.table = table
            self.key = key
            self.expected = expected
            self.stored = stored
        }
    }

    /// What was looked at.
    package enum Subject: String, CaseIterable, Sendable {
        case transactions, sales, grants, orders, transfers, accounts, entries, wallets, events
        case lots

        /// Transfers, beside their two entries.
        case sides

        /// Balances of customers, beside their lots and holds.
        case balances

        /// Entries, beside the lots that they made or used.
        case movements

        /// Customers who have rights, in one environment each.
        case entitledCustomers = "entitled_customers"
    }

    package private(set) var counts: [Subject: Int] = [:]
    package private(set) var differences: [Difference] = []

    /// Differences beyond those that are listed.
    package private(set) var omitted = 0

    package var agrees: Bool { differences.isEmpty }

    mutating func count(_ subject: Subject, _ number: Int) {
        counts[subject, default: 0] += number
    }

    mutating func add(_ difference: Difference) {
        if differences.count < Limits.listedDifferences {
            differences.append(difference)
        } else {
            omitted += 1
        }
    }

    /// Adds each row that is missing, should not be there, or has another content.
    mutating func compare(
        _ table: String, expected: [String: JSONValue], stored: [String: JSONValue]
    ) {
        for key in Set(expected.keys).union(stored.keys).sorted()
        where expected[key] != stored[key] {
            add(Difference(table, key, expected: expected[key], stored: stored[key]))
        }
    }

    package var json: JSONValue {
        var checked = JSONObject()
        for subject in Subject.allCases {
            checked.append(subject.rawValue, .integer(Int64(counts[subject] ?? 0)))
        }
        return [
            "agrees": .bool(agrees), "checked": .object(checked),
            "differences": .array(differences.map(\.json)),
            "differences_omitted": .integer(Int64(omitted)),
        ]
    }
}

extension RebuildReport.Difference {
    fileprivate var json: JSONValue {
        [
            "table": .string(table), "key": .string(key), "expected": expected ?? .null,
            "stored": stored ?? .null,
        ]
    }
}
