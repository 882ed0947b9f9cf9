// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilCrypto
import CounterfoilEngine
import CounterfoilServer

/// `counterfoil import`: what a former backend knew.
enum ImportCommand: Command {
    static let syntax = CommandSyntax(
        name: "import",
        summary: "Take over delivered transactions, tokens and balances of a former backend.",
        operands: .one("FILE"),
        options: [
            .value("--app", "ID", "The app, as the configuration names it."),
            .value("--kind", "KIND", "delivered, undelivered, tokens or balances."),
            .value("--format", "FORMAT", "csv or jsonl; by default as the file's name ends."),
            .value(
                "--environment", "NAME",
                "Production or Sandbox, for lines that name none; by default Production."),
            .flag("--dry-run", "Say what would happen, and do nothing."),
            .flag("--start-over", "Look at all lines, also of a file that was imported before."),
            ConfigurationFile.option,
        ],
        notes: [
            """
            Columns, or members of each line: transaction_id and environment (delivered,
            undelivered); token and customer_id (tokens); customer_id, unit, paid, bonus, id and
            environment (balances). Servers may run meanwhile. A run that was
            broken off goes on where it stopped. A line with a fault is told and left out, by every run of
            the same file; --start-over looks at it again.
            """,
            """
            Exit status: 0 all lines are known now, 1 some are not or the database cannot be used,
            2 a file cannot be read, 64 usage.
            """,
        ])

    /// Lines between two words about how far it is.
    private static let progressStep = 10_000

    /// Lines with a fault that are told each; a file in the wrong form has as many as it has lines.
    private static let shownFaults = 1_000

    static func run(_ arguments: Arguments, in surroundings: Surroundings) async throws -> ExitCode
    {
        let name = arguments.operands[0]
        let kind = try choice(arguments.value("--kind"), "--kind", ImportKind.self)
        let format = try choice(
            arguments.value("--format") ?? ending(of: name), "--format", ImportFormat.self)
        let environment = try environment(arguments.value("--environment"))
        let configuration = try ConfigurationFile(arguments).configuration
        let app = try app(arguments.value("--app"), in: configuration)
        let file: ImportFile
        do {
            file = try ImportFile(
                InputFile.bytes(of: name), kind, format, environment: environment)
        } catch let fault as ImportFault {
            throw InputError(name: name, problem: "is no such table: line \(fault)")
        }
        let console = surroundings.console
        var told = 0
        var faults = 0
        let report = try await Books.importFile(
            file, to: app, startsOver: arguments.has("--start-over"),
            isTrial: arguments.has("--dry-run"), configuration, clock: surroundings.clock,
            random: SystemRandom(), read: { try InputFile.bytes(of: $0) },
            readSecret: { try InputFile.secret(of: $0) }
        ) { step in
            for fault in step.faults where faults < shownFaults {
                console.complain("\(name):\(fault)\n")
                faults += 1
            }
            guard step.lines - told >= progressStep else { return }
            told = step.lines
            console.complain("\(told) of \(file.lineCount) lines\n")
        }
        if report.faultCount > faults {
            console.complain("… and \(report.faultCount - faults) more\n")
        }
        show(report, isTrial: arguments.has("--dry-run"), on: console)
        return report.faultCount == 0 ? .success : .failure
    }

    private static func show(
        _ report: ImportReport, isTrial: Bool, on console: Console
    ) {
        if report.firstLine > 0 {
            console.print("lines done before: \(report.firstLine)\n")
        }
        console.print(isTrial ? "would be imported: " : "imported: ")
        console.print("\(report.imported)\n")
        console.print("known already: \(report.unchanged)\n")
        console.print("not taken: \(report.faultCount)\n")
    }

    // MARK: Arguments

    private static func choice<Choice: RawRepresentable & CaseIterable>(
        _ word: String?, _ option: String, _ type: Choice.Type
    ) throws(UsageError) -> Choice where Choice.RawValue == String {
        guard let choice = word.flatMap({ Choice(rawValue: $0) }) else {
            let names = Choice.allCases.map(\.rawValue).joined(separator: ", ")
            throw UsageError("\(option) takes one of \(names)")
        }
        return choice
    }

    private static func ending(of name: String) -> String? {
        name.lastIndex(of: ".").map { String(name[name.index(after: $0)...]) }
    }

    private static func environment(
        _ name: String?
    ) throws(UsageError) -> AppStoreEnvironment {
        let known: [AppStoreEnvironment] = [.production, .sandbox]
        guard let name else { return .production }
        guard let environment = known.first(where: { $0.rawValue == name }) else {
            throw UsageError("--environment takes Production or Sandbox")
        }
        return environment
    }

    private static func app(
        _ name: String?, in configuration: ServerConfiguration
    ) throws(UsageError) -> AppID {
        let list = configuration.apps.map(\.id.rawValue).joined(separator: ", ")
        guard let app = configuration.apps.first(where: { $0.id.rawValue == name })?.id else {
            throw UsageError("--app takes one of: \(list)")
        }
        return app
    }
}
