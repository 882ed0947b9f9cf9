// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilDatabase

/// What a database says, read with plain SQL and nothing of the engine.
struct Books {
    private let database: any Database

    init(_ database: any Database) {
        self.database = database
    }

    /// Answers that are not in the books as they were given (P2, P6).
    func missing(of answers: [Answer]) async throws -> [String] {
        try await database.read { transaction in
            var findings: [String] = []
            for answer in answers {
                let row = try transaction.row(
                    "SELECT status, client FROM submissions WHERE submission_id = $1",
                    [.value(answer.submissionID)])
                if try row?.text(0) != answer.status || row?.text(1) != answer.client {
                    findings.append("P2: the answer \(answer.status) is not in the books")
                }
                guard answer.status.hasSuffix("fulfilled"), let id = answer.transactionID else {
                    continue
                }
                let grants = try transaction.rows(
                    "SELECT state FROM grants WHERE transaction_id = $1", [.value(id)])
                if grants.isEmpty { findings.append("P2: the goods of \(id) are gone") }
            }
            return findings
        }
    }

    /// Breaches of P1 and P4, and damage of the file itself.
    func faults() async throws -> [String] {
        try await database.read { transaction in
            var findings: [String] = []
            for (name, query) in Self.checks {
                let count = try transaction.row(query)?.integer(0) ?? 0
                if count != 0 { findings.append("\(name): \(count)") }
            }
            let verdict = try transaction.rows("PRAGMA integrity_check").first?.text(0)
            if verdict != "ok" { findings.append("the file is damaged: \(verdict ?? "")") }
            return findings
        }
    }

    /// Everything that was settled, without what differs from run to run.
    func summary() async throws -> String {
        try await database.read { transaction in
            try Self.summaries.map { query in
                try transaction.rows(query).map { row in
                    row.values.map { "\($0)" }.joined(separator: " ")
                }.joined(separator: "\n")
            }.joined(separator: "\n--\n")
        }
    }

    private static let checks: [(String, SQL)] = [
        (
            "P1: sales with two grants",
            """
            SELECT COUNT(*) FROM (SELECT sale FROM grants WHERE revision = 0
            GROUP BY app, environment, transaction_id HAVING COUNT(*) > 1) AS g
            """
        ),
        (
            "P1: transfers of a sale and unit beyond one for paid and one for bonus goods",
            """
            SELECT COUNT(*) FROM (SELECT sale FROM transfers WHERE sale IS NOT NULL
            GROUP BY app, environment, sale, revision, unit HAVING COUNT(*) > 2) AS t
            """
        ),
        (
            "P4: transfers whose entries do not add up to zero",
            """
            SELECT COUNT(*) FROM (SELECT transfer_id FROM entries GROUP BY transfer_id
            HAVING SUM(amount) <> 0 OR COUNT(*) <> 2) AS t
            """
        ),
        (
            "P4: transfers without entries",
            """
            SELECT COUNT(*) FROM transfers WHERE NOT EXISTS
            (SELECT 1 FROM entries WHERE entries.transfer_id = transfers.transfer_id)
            """
        ),
        (
            "P4: balances that are not the sum of their entries",
            """
            SELECT COUNT(*) FROM accounts WHERE balance IS NOT NULL AND balance <>
            (SELECT COALESCE(SUM(amount), 0) FROM entries
            WHERE entries.account_id = accounts.account_id)
            """
        ),
        (
            "sequences with gaps",
            """
            SELECT COUNT(*) FROM (SELECT customer_key FROM events
            WHERE customer_key IS NOT NULL GROUP BY app, environment, customer_key
            HAVING MAX(sequence) <> COUNT(*) OR MIN(sequence) <> 1) AS e
            """
        ),
        (
            "P6: submissions without their evidence",
            """
            SELECT COUNT(*) FROM submissions WHERE NOT EXISTS
            (SELECT 1 FROM evidence WHERE evidence.sha256 = submissions.evidence)
            """
        ),
    ]

    private static let summaries: [SQL] = [
        """
        SELECT sale, revision, customer_id, transaction_id, product_id, quantity, goods, state
        FROM grants LEFT JOIN aliases ON aliases.customer_key = grants.customer_key
        ORDER BY sale, revision
        """,
        """
        SELECT customer_id, environment, unit, kind, balance FROM accounts
        LEFT JOIN aliases ON aliases.customer_key = accounts.customer_key
        WHERE balance <> 0 ORDER BY customer_id, environment, unit, kind
        """,
        """
        SELECT customer_id, entitlement, sale, starts_at, ends_at, is_revoked
        FROM entitlement_periods
        LEFT JOIN aliases ON aliases.customer_key = entitlement_periods.customer_key
        ORDER BY customer_id, entitlement, sale
        """,
        """
        SELECT transaction_id, customer_id, owner_source, sale, parked_reason FROM transactions
        LEFT JOIN aliases ON aliases.customer_key = transactions.customer_key
        ORDER BY transaction_id
        """,
        "SELECT identity, sale FROM sale_keys ORDER BY identity",
        "SELECT COUNT(*), SUM(is_verified), SUM(byte_count) FROM evidence",
    ]
}
