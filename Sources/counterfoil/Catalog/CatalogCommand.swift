// SPDX-License-Identifier: Apache-2.0

import CounterfoilEngine

/// `counterfoil catalog`: catalogues from other files.
enum CatalogCommand: Command {
    static let syntax = CommandSyntax(
        name: "catalog",
        summary: "Make a catalogue from a .storekit file.",
        operands: .oneOrMore("import FILE"),
        options: [
            .value(
                "--goods", "PRODUCT=GOODS",
                "What a product is worth: coins:100, coins:100+10 or premium/P30D.",
                isRepeatable: true),
            .value(
                "--currency", "UNIT", "The unit of consumables without --goods; coins if not given."
            ),
            .value("--output", "FILE", "Where to write; standard output if not given."),
        ],
        notes: [
            """
            Ids, types, groups, levels, prices and texts come from the file. Goods that no --goods names
            are guessed from the id and marked as such. A file that exists is not overwritten.
            """,
            "Exit status: 0 written, 1 not, 2 the file cannot be read or has a mistake, 64 usage.",
        ])

    static func run(_ arguments: Arguments, in surroundings: Surroundings) throws -> ExitCode {
        guard arguments.operands.count == 2, arguments.operands[0] == "import" else {
            throw UsageError("catalog takes: import FILE")
        }
        let name = arguments.operands[1]
        var goods: [GoodsOption] = []
        for text in arguments.values("--goods") { goods.append(try GoodsOption(text)) }
        let draft = try CatalogDraft(
            name: name, file: try InputFile.storeKitFile(name), goods: goods,
            currency: arguments.value("--currency") ?? "coins")
        let text = draft.text
        do {
            // What this command writes is what the server reads.
            _ = try Catalogue(reading: Array(text.utf8))
        } catch {
            throw InputError(name: name, problem: "makes no catalogue:\n\(error)")
        }
        guard let output = arguments.value("--output") else {
            surroundings.console.print(text)
            return .success
        }
        try NewFolder(path: ".").write([(output, text)])
        let guesses = draft.guessCount
        surroundings.console.print(
            "Wrote \(output)"
                + (guesses == 0 ? ".\n" : "; the goods of \(guesses) products are guessed.\n"))
        return .success
    }
}
