// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilSimulator

/// `counterfoil simulate`: an App Store of one's own.
enum SimulateCommand: Command {
    static let syntax = CommandSyntax(
        name: "simulate",
        summary: "Play the App Store, from a .storekit file.",
        operands: .none,
        options: [
            .value("--check", "FILE", "Only read a .storekit file and show what it says."),
            .flag("--json", "Print one JSON object."),
        ],
        notes: [
            "Exit status: 0 done, 2 a file cannot be read or has a mistake, 64 usage."
        ])

    static func run(_ arguments: Arguments, in surroundings: Surroundings) async throws -> ExitCode
    {
        guard let name = arguments.value("--check") else {
            throw UsageError("simulate needs a file: --check FILE")
        }
        let report = StoreKitReport(name: name, file: try InputFile.storeKitFile(name))
        if arguments.has("--json") {
            surroundings.console.print(report.json.indentedUTF8 + [0x0A])
        } else {
            surroundings.console.print(report.text)
        }
        return .success
    }
}

extension InputFile {
    /// Xcode's configuration in a file.
    static func storeKitFile(_ name: String) throws(InputError) -> StoreKitFile {
        let bytes = try bytes(of: name)
        do {
            return try StoreKitFile(parsing: bytes)
        } catch {
            throw InputError(name: name, problem: "is no StoreKit configuration:\n\(error)")
        }
    }
}
