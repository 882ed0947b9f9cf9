// SPDX-License-Identifier: Apache-2.0

/// The words behind a command's name, sorted by its syntax.
struct Arguments: Sendable {
    let operands: [String]
    private let values: [String: [String]]

    /// Sorts the words: `--name value`, `--name=value`, switches, operands in any order; behind `--`
    /// everything is an operand, and so is `-`, which stands for standard input.
    init(parsing words: some Sequence<String>, by syntax: CommandSyntax) throws(UsageError) {
        var operands: [String] = []
        var values: [String: [String]] = [:]
        var rest = Array(words)[...]
        var onlyOperands = false
        while let word = rest.popFirst() {
            if onlyOperands || word == "-" || !word.hasPrefix("-") {
                operands.append(word)
            } else if word == "--" {
                onlyOperands = true
            } else {
                let (name, value) = try Self.option(word, &rest, syntax)
                values[name, default: []].append(value)
            }
        }
        self.operands = operands
        self.values = values
        guard !wantsHelp else { return }
        for option in syntax.options where !option.isRepeatable {
            guard self.values(option.name).count <= 1 else {
                throw UsageError("\(option.name) is given more than once")
            }
        }
        try Self.check(operands.count, syntax)
    }

    private static func option(
        _ word: String, _ rest: inout ArraySlice<String>, _ syntax: CommandSyntax
    ) throws(UsageError) -> (String, String) {
        let name = word == "-h" ? "--help" : String(word.prefix { $0 != "=" })
        let attached = word.contains("=") ? String(word.dropFirst(name.count + 1)) : nil
        let known = syntax.options + [CommandSyntax.help]
        guard let option = known.first(where: { $0.name == name }) else {
            throw UsageError("\(name) is no option of \(syntax.name)")
        }
        guard let placeholder = option.value else {
            guard attached == nil else { throw UsageError("\(name) takes no value") }
            return (name, "")
        }
        guard let value = attached ?? rest.popFirst() else {
            throw UsageError("\(name) needs a value: \(name) \(placeholder)")
        }
        return (name, value)
    }

    private static func check(_ count: Int, _ syntax: CommandSyntax) throws(UsageError) {
        switch syntax.operands {
        case .none:
            guard count == 0 else { throw UsageError("\(syntax.name) takes no operand") }
        case .one(let name):
            guard count == 1 else { throw UsageError("\(syntax.name) takes one \(name)") }
        case .oneOrMore(let name):
            guard count >= 1 else { throw UsageError("\(syntax.name) takes at least one \(name)") }
        }
    }

    /// Whether the user asked for the usage text; then nothing else has been checked.
    var wantsHelp: Bool { has("--help") }

    /// Whether a switch was given.
    func has(_ name: String) -> Bool { values[name] != nil }

    /// The value of an option, or nil.
    func value(_ name: String) -> String? { values[name]?.last }

    /// The values of a repeatable option in order.
    func values(_ name: String) -> [String] { values[name] ?? [] }
}

/// That the words behind a command's name make no sense (exit code 64).
struct UsageError: Error, Hashable, Sendable {
    let message: String

    init(_ message: String) {
        self.message = message
    }
}
