// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore

/// Row 14.4: the HTTP layer beside the library that it stands on.
struct AnswerReport {
    private let results: [TrivialAnswer]

    /// Nil if the options ask for other cases only.
    init?(options: Options, progress: (String) -> Void) throws {
        if let only = options.only, !TrivialAnswer.name.contains(only) { return nil }
        results = try [1, 2].map {
            try TrivialAnswer(threads: $0, rounds: options.rounds, progress: progress)
        }
    }

    var table: String {
        let head = [
            "row", "case", "threads", "per second", "CPU µs", "yardstick CPU µs", "ratio",
            "ratio by CPU", "goal",
        ]
        let rows = results.map { result in
            [
                "14.4", TrivialAnswer.name, String(result.threads),
                result.pairs.map(\.ours.rate).median.text(digits: 0),
                result.pairs.map(\.ours.processorMicroseconds).median.text(digits: 1),
                result.pairs.map(\.yardstick.processorMicroseconds).median.text(digits: 1),
                result.rateRatio.text(digits: 2), result.processorRatio.text(digits: 2),
                TrivialAnswer.goal.text(digits: 1),
            ]
        }
        return Markdown.table(head, rows) + """

            \(TrivialAnswer.clients) clients in one thread, medians of \(results[0].pairs.count) \
            rounds. Yardstick: the example of libmicrohttpd, which makes one answer for each request.

            """
    }

    /// Whole numbers only, as in ``Report``.
    func append(to json: inout JSONObject) {
        func thousandths(_ value: Double) -> JSONValue {
            .integer(Int64((value * 1_000).rounded()))
        }
        json.append(
            "answers",
            .array(
                results.map { result in
                    [
                        "row": "14.4", "case": .string(TrivialAnswer.name),
                        "threads": .integer(Int64(result.threads)),
                        "ratio_milli": thousandths(result.rateRatio),
                        "cpu_ratio_milli": thousandths(result.processorRatio),
                        "goal_milli": thousandths(TrivialAnswer.goal),
                    ]
                }))
    }
}
