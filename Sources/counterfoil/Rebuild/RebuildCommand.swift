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
        return ReportText.print(
            report, of: RebuildReport.Subject.allCases, asJSON: arguments.has("--json"),
            whenItDiffers: "The derived tables differ.", on: surroundings.console)
    }
}
