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
        for round in 0..<options.rounds {
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
        openSSLSpeed = options.runsOpenSSL ? [1, 2].compactMap(OpenSSLSpeed.init) : []
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

    var table: String {
        let head = [
            "row", "case", "threads", "per second", "CPU µs", "yardstick CPU µs", "ratio",
            "ratio by CPU", "goal",
        ]
        let rows = results.map { result in
            [
                result.row, result.name, String(result.threads), text(result.rate, digits: 0),
                text(result.processorMicroseconds, digits: 1),
                text(result.yardstickMicroseconds, digits: 1), text(result.rateRatio, digits: 2),
                text(result.processorRatio, digits: 2),
                result.goal.map { text($0, digits: 2) } ?? "",
            ]
        }
        let lines = [head, head.map { _ in "---" }] + rows
        let yardsticks = Set(results.map(\.yardstickName)).sorted()
        var page = lines.map { "| " + $0.joined(separator: " | ") + " |\n" }.joined()
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

    private func text(_ value: Double, digits: Int) -> String {
        let scale = digits == 0 ? 1 : digits == 1 ? 10.0 : 100.0
        let rounded = (value * scale).rounded()
        guard digits > 0 else { return String(Int(rounded)) }
        let whole = Int(rounded / scale)
        let rest = String(Int(rounded) - whole * Int(scale))
        return "\(whole)." + String(repeating: "0", count: digits - rest.count) + rest
    }
}
