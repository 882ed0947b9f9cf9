// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilCrypto
import CounterfoilEngine
import CounterfoilServer

/// `counterfoil rebuild`: whether what is derived is what follows from facts and grants.
enum RebuildCommand: Command {
    static let syntax = CommandSyntax(
        name: "rebuild",
        summary:
            "Derive balances, rights and sequences anew and compare them with the stored ones.",
        operands: .none,
        options: [ConfigurationFile.option, .flag("--json", "Print JSON.")],
        notes: [
            "It changes nothing and may run beside the server.",
            """
            Exit status: 0 everything agrees, 1 something differs or the database cannot be used,
            2 the configuration is wrong, 64 usage.
            """,
        ])

    static func run(_ arguments: Arguments, in surroundings: Surroundings) async throws -> ExitCode
    {
        let configuration = try ConfigurationFile(arguments).configuration
        let report = try await Books.compare(
            configuration, random: SystemRandom(), readSecret: { try InputFile.secret(of: $0) })
        let console = surroundings.console
        if arguments.has("--json") {
            console.print(report.json.indentedUTF8)
            console.print("\n")
        } else {
            console.print(text(of: report))
        }
        return report.agrees ? .success : .failure
    }

    private static func text(of report: RebuildReport) -> String {
        var table = TextTable("checked", "")
        for subject in RebuildReport.Subject.allCases {
            table.append([
                subject.rawValue.replacing("_", with: " "), String(report.counts[subject] ?? 0),
            ])
        }
        var lines = table.lines
        for difference in report.differences {
            lines.append("DIFFERS  \(difference.table): \(difference.key)")
            lines.append("         should be: \(difference.expected?.text ?? "not there")")
            lines.append("         is:        \(difference.stored?.text ?? "not there")")
        }
        if report.omitted > 0 { lines.append("… and \(report.omitted) more") }
        lines.append(report.agrees ? "Everything agrees." : "The derived tables differ.")
        return lines.joined(separator: "\n") + "\n"
    }
}
