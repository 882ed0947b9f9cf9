// SPDX-License-Identifier: Apache-2.0

import CounterfoilServer
import Glibc

/// The program: finds the command, hands it its surroundings and turns its end into an exit code.
enum Program {
    static let commands: [any Command.Type] = [
        InitializeCommand.self, KeysCommand.self, ServeCommand.self, ImportCommand.self,
        CatalogCommand.self, SimulateCommand.self, RebuildCommand.self, DoctorCommand.self,
        VerifyCommand.self, InspectCommand.self, ConformanceCommand.self, DemoCommand.self,
    ]

    /// Runs the command that the process was started with; does not return.
    static func main() async -> Never {
        let surroundings = Surroundings(console: .standard, clock: SystemClock())
        let words = Swift.CommandLine.arguments.dropFirst()
        exit(await run(Array(words), in: surroundings).rawValue)
    }

    static func run(_ words: [String], in surroundings: Surroundings) async -> ExitCode {
        let console = surroundings.console
        guard let name = words.first else {
            console.complain(overview)
            return .usage
        }
        if ["help", "--help", "-h"].contains(name) {
            console.print(overview)
            return .success
        }
        if ["version", "--version"].contains(name) {
            console.print("counterfoil \(Release.version)\n")
            return .success
        }
        guard let command = commands.first(where: { $0.syntax.name == name }) else {
            console.complain(
                "counterfoil: there is no command \(name)\ncounterfoil --help tells more\n")
            return .usage
        }
        do {
            let arguments = try Arguments(parsing: words.dropFirst(), by: command.syntax)
            if arguments.wantsHelp {
                console.print(command.syntax.usage)
                return .success
            }
            return try await command.run(arguments, in: surroundings)
        } catch let error as UsageError {
            console.complain(
                "counterfoil \(name): \(error.message)\ncounterfoil \(name) --help tells more\n")
            return .usage
        } catch let error as InputError {
            console.complain("counterfoil \(name): \(error.description)\n")
            return .unreadable
        } catch {
            console.complain("counterfoil \(name): \(error)\n")
            return .failure
        }
    }

    private static var overview: String {
        let width = commands.map { $0.syntax.name.count }.max() ?? 0
        let rows = commands.map { command in
            let name = command.syntax.name
            let padding = String(repeating: " ", count: width - name.count)
            return "  \(name)\(padding)  \(command.syntax.summary)"
        }
        let lines =
            ["Usage: counterfoil COMMAND [options]", "", "Commands:"] + rows
            + [
                "",
                "counterfoil COMMAND --help tells more, counterfoil --version which release it is.",
            ]
        return lines.joined(separator: "\n") + "\n"
    }
}
