// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore

/// `counterfoil inspect`: what does this evidence say?
enum InspectCommand: Command {
    static let syntax = CommandSyntax(
        name: "inspect",
        summary: "Decode a receipt or a JWS without asking who signed it.",
        operands: .one("FILE|-"),
        options: [.flag("--json", "Print one JSON object.")],
        notes: [
            "Whatever it prints is only claimed: counterfoil verify tells whether it is proven.",
            "Exit status: 0 decoded, 2 unreadable, 64 usage.",
        ])

    static func run(_ arguments: Arguments, in surroundings: Surroundings) throws -> ExitCode {
        let text = try InputFile.bytes(of: arguments.operands[0])
        let report = EvidenceReport(inspecting: text)
        surroundings.console.print(report, asJSON: arguments.has("--json"))
        return report.exitCode
    }
}

extension Console {
    /// Prints a report in the form that the user asked for.
    func print(_ report: EvidenceReport, asJSON isJSON: Bool) {
        if isJSON {
            self.print(report.json.indentedUTF8 + [0x0A])
        } else {
            self.print(report.text)
        }
    }
}
