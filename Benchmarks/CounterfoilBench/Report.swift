// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore

/// All results of a run.
struct Report {
    private let results: [Result]
    private let rounds: Int
    private let openSSLSpeed: [OpenSSLSpeed]

    /// Measures; what goes on is told line by line.
    init(options: Options, progress: (String) -> Void) throws {
        progress("making keys, tokens and receipts")
        let material = try Material()
        let all = try TokenCases(material).cases() + ReceiptCases(material).cases()
        let cases = all.filter { options.only.map($0.work.name.contains) ?? true }
        var counts: [(ours: Int, yardstick: Int)] = []
        for measured in cases {
            counts.append(
                (
                    try Measurement.calibrated(
                        measured.work, sliceMilliseconds: options.sliceMilliseconds),
                    try Measurement.calibrated(
                        measured.yardstick, sliceMilliseconds: options.sliceMilliseconds)
                ))
        }
        var results = cases.map(Result.init)
        for round in 0..<(cases.isEmpty ? 0 : options.rounds) {
            progress("round \(round + 1) of \(options.rounds)")
            for (index, measured) in cases.enumerated() {
                let ours = {
                    try Measurement.sample(
                        measured.work, count: counts[index].ours, threads: measured.threads)
                }
                let yardstick = {
                    try Measurement.sample(
                        measured.yardstick, count: counts[index].yardstick,
                        threads: measured.threads)
                }
                // Who goes first alternates, so that neither always has the warmer machine.
                if round.isMultiple(of: 2) {
                    results[index].append(ours: try ours(), yardstick: try yardstick())
                } else {
                    let first = try yardstick()
                    results[index].append(ours: try ours(), yardstick: first)
                }
            }
        }
        self.results = results
        rounds = options.rounds
        openSSLSpeed =
            options.runsOpenSSL && !cases.isEmpty ? [1, 2].compactMap(OpenSSLSpeed.init) : []
    }

    /// Whole numbers only: rates a second, nanoseconds, ratios in thousandths.
    var json: JSONValue {
        let rows: [JSONValue] = results.map { result in
            [
                "row": .string(result.row), "case": .string(result.name),
                "yardstick": .string(result.yardstickName), "threads": .integer(result.threads),
                "per_second": .integer(Int64(result.rate)),
                "yardstick_per_second": .integer(Int64(result.yardstickRate)),
                "cpu_nanoseconds": thousandths(result.processorMicroseconds),
                "yardstick_cpu_nanoseconds": thousandths(result.yardstickMicroseconds),
                "ratio_milli": thousandths(result.rateRatio),
                "cpu_ratio_milli": thousandths(result.processorRatio),
                "goal_milli": result.goal.map(thousandths) ?? .null,
            ]
        }
        let speeds: [JSONValue] = openSSLSpeed.map {
            [
                "processes": .integer($0.processes),
                "p256_verify_per_second": .integer(Int64($0.perSecond)),
            ]
        }
        return [
            "rounds": .integer(rounds), "results": .array(rows), "openssl_speed": .array(speeds),
        ]
    }

    /// Nothing where no case was measured.
    var table: String {
        guard !results.isEmpty else { return "" }
        let head = [
            "row", "case", "threads", "per second", "CPU µs", "yardstick CPU µs", "ratio",
            "ratio by CPU", "goal",
        ]
        let rows = results.map { result in
            [
                result.row, result.name, String(result.threads), result.rate.text(digits: 0),
                result.processorMicroseconds.text(digits: 1),
                result.yardstickMicroseconds.text(digits: 1), result.rateRatio.text(digits: 2),
                result.processorRatio.text(digits: 2),
                result.goal.map { $0.text(digits: 2) } ?? "",
            ]
        }
        let yardsticks = Set(results.map(\.yardstickName)).sorted()
        var page = Markdown.table(head, rows)
        page += "\nMedians of \(rounds) rounds; each ratio is the median of the rounds' ratios.\n"
        page += "Yardsticks: \(yardsticks.joined(separator: "; ")).\n"
        for speed in openSSLSpeed {
            page += "openssl speed, \(speed.processes) process(es), P-256 verify: "
            page += "\(Int(speed.perSecond)) per second.\n"
        }
        return page
    }

    private func thousandths(_ value: Double) -> JSONValue {
        .integer(Int64((value * 1_000).rounded()))
    }
}
