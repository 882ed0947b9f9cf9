// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore

/// `counterfoil conformance`: does this build judge published vectors as it should?
enum ConformanceCommand: Command {
    static let syntax = CommandSyntax(
        name: "conformance",
        summary: "Run folders of published vectors and print every difference.",
        operands: .oneOrMore("DIR"),
        options: [],
        notes: [
            """
            A folder holds NAME.b64 with NAME.expected.json (receipt vectors), or the data of Apple's
            libraries (certs, mock_signed_data, models, xcode). Kinds of evidence that a later version
            judges are listed and counted apart.
            """,
            "Exit status: 0 no difference, 1 differences, 2 unreadable, 64 usage.",
        ])

    static func run(_ arguments: Arguments, in surroundings: Surroundings) throws -> ExitCode {
        var outcomes: [VectorOutcome] = []
        for folder in arguments.operands {
            let names = try InputFile.names(in: folder)
            if ReceiptVectors.recognises(names) {
                let vectors = ReceiptVectors(folder: folder, now: surroundings.clock.now)
                outcomes += try vectors.outcomes(names)
            } else if AppleVectors.recognises(names) {
                outcomes += AppleVectors(folder: folder, now: surroundings.clock.now).outcomes()
            } else {
                throw InputError(name: folder, problem: "holds no vectors of a known layout")
            }
        }
        return report(outcomes, on: surroundings.console)
    }

    private static func report(_ outcomes: [VectorOutcome], on console: Console) -> ExitCode {
        var passed = 0
        var failed = 0
        var waiting: [String] = []
        for outcome in outcomes {
            switch outcome.result {
            case .passed: passed += 1
            case .failed(let differences):
                failed += 1
                for difference in differences {
                    console.print("\(outcome.name): \(TextTable.printable(difference))\n")
                }
            case .notYetJudged(let reason): waiting.append("\(outcome.name) (\(reason))")
            }
        }
        let list = waiting.isEmpty ? "" : ": " + waiting.joined(separator: ", ")
        console.print("\(waiting.count) not yet judged\(list)\n")
        console.print("\(passed) passed, \(failed) failed\n")
        return failed == 0 ? .success : .failure
    }
}
