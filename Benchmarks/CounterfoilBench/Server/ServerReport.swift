// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore

/// The rows that measure the whole server in a process of its own.
struct ServerReport {
    private let load: PurchaseLoad
    private let start: ServerStart
    private let isPostgres: Bool

    /// Nil if the options ask for other cases only.
    init?(options: Options, progress: (String) -> Void) throws {
        if let only = options.only {
            guard [PurchaseLoad.name, ServerStart.name].contains(where: { $0.contains(only) })
            else { return nil }
        }
        let installation = try Installation(postgres: options.postgresAddress)
        isPostgres = options.postgresAddress != nil
        load = try PurchaseLoad(in: installation, progress: progress)
        start = try ServerStart(
            in: installation, database: load.database, progress: progress)
    }

    var table: String {
        purchaseTable + "\n" + startTable
    }

    private var purchaseTable: String {
        let head = [
            "row", "clients", "per second", "p50 ms", "p99 ms", "goal", "server CPU µs",
            "verify CPU µs", "SQL in C CPU µs", "CPU ÷ yardsticks", "goal",
            isPostgres ? "log bytes" : "bytes written",
            isPostgres ? "log bytes in C" : "bytes written in C", "SQL in C per second",
            "rate ÷ SQL in C", "goal",
        ]
        let rows = load.results.map { result in
            [
                "14.3", String(result.clients), result.rate.text(digits: 0),
                result.milliseconds(ofThousand: 500).text(digits: 1),
                result.milliseconds(ofThousand: 990).text(digits: 1),
                result.clients == 64
                    ? "≤ " + PurchaseResult.slowestGoalMilliseconds.text(digits: 0) : "",
                result.median(\.processorMicroseconds).text(digits: 1),
                result.median(\.verificationMicroseconds).text(digits: 1),
                isPostgres ? "" : result.median(\.replayMicroseconds).text(digits: 1),
                isPostgres ? "" : result.median(\.processorMultiple).text(digits: 2),
                isPostgres ? "" : "≤ " + PurchaseResult.multipleGoal.text(digits: 1),
                result.bytesWritten.text(digits: 0),
                result.replayBytesWritten.text(digits: 0), result.replayRate.text(digits: 0),
                result.rateRatio.text(digits: 2),
                isPostgres ? "≥ " + PurchaseResult.rateRatioGoal.text(digits: 1) : "",
            ]
        }
        return Markdown.table(head, rows) + """

            Purchases through HTTP on \(isPostgres ? "PostgreSQL" : "SQLite"), each another \
            transaction, all answered `fulfilled`. Medians of \(PurchaseLoad.rounds) rounds; p50 \
            and p99 over all rounds. Yardsticks: P-256 verify in C; the statements of the same \
            purchases in C (\(load.statements) each), \(yardstick). The database grew by \
            \(load.storedBytes) bytes and \(load.rowsPerPurchase.text(digits: 1)) rows a purchase, \
            of which \(load.evidenceBytes) bytes are evidence.

            """
    }

    private var yardstick: String {
        isPostgres
            ? "each purchase a transaction, as many connections as clients"
            : "as many in a commit as there are clients"
    }

    private var startTable: String {
        let rows = measures.map { measure in
            [
                "14.7", measure.name, measure.value.text(digits: 1),
                "≤ " + measure.goal.text(digits: 0),
            ]
        }
        return Markdown.table(["row", "measure", "median", "goal"], rows)
            + "\nMedians of \(ServerStart.rounds) starts, from the start of the process to the "
            + "first 200 of /readyz.\n"
    }

    private var measures: [(name: String, key: String, value: Double, goal: Double)] {
        let mebibyte = 1_048_576.0
        return [
            (
                "start with a fresh database, ms", "start_fresh_microseconds", start.fresh.median,
                ServerStart.startGoalMilliseconds
            ),
            (
                "start with the database of 14.3, ms", "start_existing_microseconds",
                start.existing.median, ServerStart.startGoalMilliseconds
            ),
            (
                "RssAnon idle, MiB", "idle_kibibytes", start.idleMemory.median / mebibyte,
                ServerStart.idleGoalMebibytes
            ),
            (
                "RssAnon after 14.3 with 64 clients, MiB", "loaded_kibibytes",
                Double(load.loadedMemory) / mebibyte, ServerStart.loadedGoalMebibytes
            ),
        ]
    }
}

extension ServerReport {
    /// Whole numbers only, as in ``Report``.
    func append(to json: inout JSONObject) {
        json.append("purchases", .array(load.results.map(Self.json)))
        json.append("purchase_stored_bytes", .integer(load.storedBytes))
        json.append("purchase_statements", .integer(load.statements))
        json.append("purchase_rows_milli", Self.whole(load.rowsPerPurchase * 1_000))
        json.append("purchase_evidence_bytes", .integer(load.evidenceBytes))
        json.append("engine", isPostgres ? "postgres" : "sqlite")
        var values = JSONObject()
        for measure in measures {
            let factor = measure.key.hasSuffix("kibibytes") ? 1_024.0 : 1_000.0
            values.append(measure.key, Self.whole(measure.value * factor))
        }
        json.append("server", .object(values))
    }

    private static func json(_ result: PurchaseResult) -> JSONValue {
        [
            "row": "14.3", "case": .string(PurchaseLoad.name),
            "clients": .integer(Int64(result.clients)), "per_second": whole(result.rate),
            "p50_microseconds": whole(result.milliseconds(ofThousand: 500) * 1_000),
            "p99_microseconds": whole(result.milliseconds(ofThousand: 990) * 1_000),
            "cpu_nanoseconds": whole(result.median(\.processorMicroseconds) * 1_000),
            "verify_cpu_nanoseconds": whole(result.median(\.verificationMicroseconds) * 1_000),
            "sql_cpu_nanoseconds": whole(result.median(\.replayMicroseconds) * 1_000),
            "cpu_multiple_milli": whole(result.median(\.processorMultiple) * 1_000),
            "goal_multiple_milli": whole(PurchaseResult.multipleGoal * 1_000),
            "written_bytes": whole(result.bytesWritten),
            "sql_written_bytes": whole(result.replayBytesWritten),
            "sql_per_second": whole(result.replayRate),
            "rate_ratio_milli": whole(result.rateRatio * 1_000),
        ]
    }

    private static func whole(_ value: Double) -> JSONValue {
        .integer(Int64(value.rounded()))
    }
}
