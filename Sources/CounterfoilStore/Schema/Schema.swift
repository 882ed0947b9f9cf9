// SPDX-License-Identifier: Apache-2.0

package import CounterfoilDatabase

/// All tables; keys and meaning are those of docs/settlement.md.
///
/// Every key that comes from Apple starts with app and environment; ids of ours are sixteen bytes.
package enum Schema {
    /// All migrations in order; released ones never change.
    package static let migrations: [Migration] = [
        Migration(1, "purchases", firstTables.map { .createTable($0) }),
        Migration(2, "several servers", forSeveralServers),
        Migration(3, "lists for people", forLists),
        Migration(4, "one first owner", forOwners),
        Migration(5, "idempotency keys", [.createTable(idempotencyKeys)]),
        Migration(6, "lots", forLots),
        Migration(7, "refunds", forRefunds),
        Migration(8, "orders", forOrders),
        Migration(9, "webhooks", forWebhooks),
        Migration(10, "credits", [.createTable(credits)]),
        Migration(11, "anonymous customers", customerSecrets),
        Migration(12, "reports and timelines", forTimelines),
        Migration(
            13, "ownership",
            [conflicts, ownershipTransfers, entitlementShares].map { .createTable($0) }),
        Migration(14, "imports", [formerDeliveries, imports].map { .createTable($0) }),
        Migration(15, "merges", forMerges),
        Migration(16, "questions about a customer", forQuestions),
        Migration(17, "moves of merges", forMoves),
        Migration(18, "faults of imports", forImportFaults),
        Migration(19, "notifications", [.createTable(notifications)]),
        Migration(20, "histories of refunds", forRefundHistory),
    ]

    private static let firstTables: [Table] = [
        installation, customers, aliases, wallets, accountTokens,
        certificateChains, evidence, refusedEvidenceUsage, submissions,
        transactions, sales, saleKeys, grants,
        accounts, transfers, entries,
        entitlementPeriods, events, jobs, apiKeys,
    ]

    /// What is true of this database as a whole, such as its epoch.
    static let installation = Table(
        "installation",
        columns: [.text("name", maximum: 128), .text("value", maximum: Limits.message)],
        primaryKey: ["name"])

    /// Work that is owed, found by its key so that asking twice is asking once.
    static let jobs = Table(
        "jobs",
        columns: [
            .text("job_key", maximum: Limits.message), .word("kind"), .app,
            .text("payload", maximum: Limits.message), .instant("run_at"), .integer("tries"),
            .text("last_error", maximum: Limits.message).nullable, .createdAt,
        ],
        primaryKey: ["job_key"], indexes: [.init(["run_at"])])

    /// Who holds a job and until when, by the database's clock; how often it was claimed and asked for.
    /// Whoever numbers an app's events locks its sequencer.
    private static let forSeveralServers: [Migration.Step] = [
        .addColumn(.instant("lease_until").nullable, to: "jobs"),
        .addColumn(.integer("fence").nullable, to: "jobs"),
        .addColumn(.integer("requests").nullable, to: "jobs"),
        .statement("UPDATE jobs SET fence = 0, requests = 1"),
        .createTable(sequencers),
        .createIndex(.init(["app", "sequence"], where: "number IS NULL"), on: "events"),
    ]

    /// What people watch: grants by age, parked transactions, and how often a customer handed the same
    /// evidence in. Each index takes the place of a narrower one, or covers few rows.
    private static let forLists: [Migration.Step] = [
        .createIndex(
            .init(["app", "environment", "state", "created_at", "grant_id"]), on: "grants"),
        .statement("DROP INDEX grants_app_environment_state_grant_id_index"),
        .createIndex(
            .init(
                ["app", "environment", "transaction_id", "created_at"],
                where: "parked_reason IS NOT NULL"),
            on: "transactions"),
        .createIndex(.init(["evidence", "customer_key"]), on: "submissions"),
        .statement("DROP INDEX submissions_evidence_index"),
    ]

    /// What an original is locked by, and what ended before anybody knew whose it was.
    private static let forOwners: [Migration.Step] = [
        .createTable(originals),
        .createIndex(
            .init(
                ["app", "environment", "app_account_token", "transaction_id"],
                where: "app_account_token IS NOT NULL AND customer_key IS NULL "
                    + "AND parked_reason IS NULL"),
            on: "transactions"),
    ]

    /// The last number that an app's events were given where they are numbered after the commit.
    static let sequencers = Table(
        "sequencers", columns: [.app, .integer("last_number")], primaryKey: ["app"], layout: .keyed)

    /// Secrets of the studio's servers, as digests only.
    static let apiKeys = Table(
        "api_keys",
        columns: [
            .bytes("key_digest", maximum: 32), .uniqueID("key_id"), .app, .word("kind"),
            .text("label", maximum: Limits.appleText), .createdAt, .instant("revoked_at").nullable,
        ],
        primaryKey: ["key_digest"], uniqueKeys: [["key_id"]], indexes: [.init(["app"])])
}
