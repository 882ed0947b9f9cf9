// SPDX-License-Identifier: Apache-2.0

/// What may stand behind a command's name; usage text and parsing both come from it.
struct CommandSyntax: Sendable {
    /// Something that is named with two dashes.
    struct Option: Sendable {
        /// With its dashes, for example `--root`.
        let name: String

        /// The word for its value in the usage text; nil for a switch.
        let value: String?

        let isRepeatable: Bool
        let summary: String

        /// An option with a value: `--at INSTANT`.
        static func value(
            _ name: String, _ value: String, _ summary: String, isRepeatable: Bool = false
        ) -> Option {
            Option(name: name, value: value, isRepeatable: isRepeatable, summary: summary)
        }

        /// An option that is there or not: `--json`.
        static func flag(_ name: String, _ summary: String) -> Option {
            Option(name: name, value: nil, isRepeatable: false, summary: summary)
        }
    }

    /// How many operands a command takes.
    enum Operands: Sendable {
        case none

        /// Exactly one, under this name.
        case one(String)

        /// At least one, under this name.
        case oneOrMore(String)
    }

    let name: String
    let summary: String
    let operands: Operands
    let options: [Option]

    /// What else a user must know, one paragraph each.
    var notes: [String] = []

    /// Printed by every command that gets it, so that none needs to list it.
    static let help = Option.flag("--help", "Show this text.")

    /// The whole usage text.
    var usage: String {
        var lines = ["Usage: counterfoil \(name)\(operandText) [options]", "", summary, ""]
        let rows = (options + [Self.help]).map { option in
            (option.name + (option.value.map { " \($0)" } ?? ""), option)
        }
        let width = rows.map(\.0.count).max() ?? 0
        lines.append("Options:")
        for (head, option) in rows {
            let padding = String(repeating: " ", count: width - head.count)
            let repeats = option.isRepeatable ? " May be repeated." : ""
            lines.append("  \(head)\(padding)  \(option.summary)\(repeats)")
        }
        for note in notes { lines += ["", note] }
        return lines.joined(separator: "\n") + "\n"
    }

    private var operandText: String {
        switch operands {
        case .none: ""
        case .one(let name): " \(name)"
        case .oneOrMore(let name): " \(name)…"
        }
    }
}
