// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilSimulator

/// What a game server sees: sales from the order to the webhook, and spending.
struct GameReport {
    private let cases: [(name: String, results: [GameResult])]
    private let verificationMicroseconds: Double
    private let isPostgres: Bool

    /// Nil if the options ask for other cases only.
    init?(options: Options, progress: (String) -> Void) throws {
        let wanted = [OrderLoad.name, SpendLoad.name].filter { name in
            options.only.map(name.contains) ?? true
        }
        guard !wanted.isEmpty else { return nil }
        let installation = try Installation(postgres: options.postgresAddress)
        isPostgres = options.postgresAddress != nil
        cases = try wanted.map { name in
            let results =
                name == OrderLoad.name
                ? try OrderLoad(in: installation, progress: progress).results
                : try SpendLoad(in: installation, progress: progress).results
            return (name, results)
        }
        let verification = try Work.p256Verification(
            by: installation.authority.signedDataChain.leaf.key)
        verificationMicroseconds = try (0..<5).map { _ in
            try Measurement.sample(verification, count: 1_000, threads: 1).processorMicroseconds
        }.median
    }

    var table: String {
        let head = [
            "case", "clients", "per second", "p50 ms", "p99 ms", "server CPU µs",
            "CPU ÷ P-256 verify", "bytes written",
        ]
        let rows = cases.flatMap { name, results in
            results.map { result in
                [
                    name, String(result.clients), result.rate.text(digits: 0),
                    result.milliseconds(ofThousand: 500).text(digits: 1),
                    result.milliseconds(ofThousand: 990).text(digits: 1),
                    result.processorMicroseconds.text(digits: 1),
                    (result.processorMicroseconds / verificationMicroseconds).text(digits: 1),
                    isPostgres ? "" : result.bytesWritten.text(digits: 0),
                ]
            }
        }
        return Markdown.table(head, rows) + """

            On \(isPostgres ? "PostgreSQL" : "SQLite"), medians of five rounds. A sale is an order, \
            its payment and the webhook with its goods; its times run from handing the payment in to \
            the webhook at the receiver. P-256 verify in C took \
            \(verificationMicroseconds.text(digits: 1)) µs.

            """
    }

    /// Whole numbers only, as in ``Report``.
    func append(to json: inout JSONObject) {
        let values = cases.flatMap { name, results in
            results.map { result -> JSONValue in
                [
                    "case": .string(name), "clients": .integer(Int64(result.clients)),
                    "per_second": Self.whole(result.rate),
                    "p50_microseconds": Self.whole(result.milliseconds(ofThousand: 500) * 1_000),
                    "p99_microseconds": Self.whole(result.milliseconds(ofThousand: 990) * 1_000),
                    "cpu_nanoseconds": Self.whole(result.processorMicroseconds * 1_000),
                    "verify_cpu_nanoseconds": Self.whole(verificationMicroseconds * 1_000),
                    "written_bytes": Self.whole(result.bytesWritten),
                ]
            }
        }
        json.append("game", .array(values))
    }

    private static func whole(_ value: Double) -> JSONValue {
        .integer(Int64(value.rounded()))
    }
}
