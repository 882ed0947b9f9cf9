// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilCrypto
import CounterfoilEngine
import CounterfoilServer

/// `counterfoil doctor`: whether the books balance (promise P4), while servers are at work.
enum DoctorCommand: Command {
    static let syntax = CommandSyntax(
        name: "doctor",
        summary: "See whether the books balance: transfers, entries, balances, lots, holds.",
        operands: .none,
        options: [ConfigurationFile.option, .flag("--json", "Print JSON.")],
        notes: [
            "It changes nothing, reads page by page and may run beside the server.",
            """
            Exit status: 0 the books balance, 1 they do not or the database cannot be used, 2 the
            configuration is wrong, 64 usage.
            """,
        ])

    /// What it looks at.
    private static let subjects: [RebuildReport.Subject] = [
        .grants, .transfers, .sides, .entries, .accounts, .lots, .balances, .movements,
    ]

    static func run(_ arguments: Arguments, in surroundings: Surroundings) async throws -> ExitCode
    {
        let configuration = try ConfigurationFile(arguments).configuration
        let report = try await Books.examineLedger(
            configuration, random: SystemRandom(), readSecret: { try InputFile.secret(of: $0) })
        return ReportText.print(
            report, of: subjects, asJSON: arguments.has("--json"),
            whenItDiffers: "The books do not balance.", on: surroundings.console)
    }
}
