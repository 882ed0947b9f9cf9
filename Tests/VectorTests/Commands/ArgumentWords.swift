// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import Testing

@testable import counterfoil

@Suite("The words of a command line")
struct ArgumentWords {
    private static let syntax = CommandSyntax(
        name: "try", summary: "Tries.", operands: .one("FILE"),
        options: [
            .value("--at", "INSTANT", "When."),
            .value("--root", "FILE", "Whom.", isRepeatable: true), .flag("--json", "How."),
        ])

    private func parse(_ words: String...) throws(UsageError) -> Arguments {
        try Arguments(parsing: words, by: Self.syntax)
    }

    @Test("Options and operands come in any order, values behind a space or an equals sign")
    func order() throws {
        let arguments = try parse("--at", "1", "file", "--root=a", "--json", "--root", "b=c")
        #expect(arguments.operands == ["file"] && arguments.value("--at") == "1")
        #expect(arguments.values("--root") == ["a", "b=c"] && arguments.has("--json"))
        #expect(!arguments.wantsHelp && arguments.value("--bundle") == nil)
    }

    @Test("A dash is an operand, and behind two dashes everything is")
    func dashes() throws {
        #expect(try parse("-").operands == ["-"])
        #expect(try parse("--", "--json").operands == ["--json"])
    }

    @Test("An empty value is a value")
    func empty() throws {
        #expect(try parse("f", "--at=").value("--at") == "")
    }

    @Test(
        "Words that make no sense are refused",
        arguments: [
            ([], "takes one FILE"), (["a", "b"], "takes one FILE"),
            (["a", "--at"], "needs a value"), (["a", "--json=1"], "takes no value"),
            (["a", "--nothing"], "is no option"), (["a", "-x"], "is no option"),
            (["a", "--at", "1", "--at", "2"], "more than once"),
        ])
    func refusals(words: [String], message: String) {
        let error = #expect(throws: UsageError.self) {
            try Arguments(parsing: words, by: Self.syntax)
        }
        #expect(error?.message.contains(message) == true)
    }

    @Test("Help is given whatever else is missing", arguments: ["--help", "-h"])
    func help(word: String) throws {
        #expect(try parse(word).wantsHelp)
        #expect(Self.syntax.usage.contains("--root FILE"))
        #expect(Self.syntax.usage.contains("May be repeated."))
    }
}
