// SPDX-License-Identifier: Apache-2.0

/// Calls that hide an input, stop the program or wait in vain.
enum BannedCalls {
    struct Ban: Sendable {
        let tokens: [String]
        let instead: String

        /// Whether tests must not use it either.
        var alsoInTests = false

        var spelling: String { tokens.joined() }
    }

    static let bans: [Ban] = [
        Ban(tokens: ["Date", "(", ")"], instead: clock),
        Ban(tokens: ["Date", ".", "now"], instead: clock),
        Ban(tokens: ["clock_gettime", "("], instead: clock),
        Ban(tokens: ["gettimeofday", "("], instead: clock),
        Ban(tokens: ["UUID", "(", ")"], instead: "UniqueID with a RandomSource that is passed in"),
        Ban(tokens: ["SystemRandomNumberGenerator"], instead: randomness),
        Ban(tokens: [".", "random", "(", "in"], instead: randomness),
        Ban(tokens: [".", "randomElement", "("], instead: randomness),
        Ban(tokens: [".", "shuffled", "("], instead: randomness),
        Ban(tokens: ["Task", ".", "detached"], instead: "a child task, whose owner waits for it"),
        Ban(tokens: ["Task", ".", "sleep"], instead: waiting, alsoInTests: true),
        Ban(tokens: ["usleep", "("], instead: waiting, alsoInTests: true),
        Ban(tokens: ["nanosleep", "("], instead: waiting, alsoInTests: true),
        Ban(tokens: ["sleep", "("], instead: waiting, alsoInTests: true),
        Ban(tokens: ["print", "("], instead: "the output that is passed in"),
        Ban(tokens: ["debugPrint", "("], instead: "the output that is passed in"),
        Ban(tokens: ["fatalError"], instead: trapping),
        Ban(tokens: ["try", "!"], instead: trapping),
        Ban(tokens: ["as", "!"], instead: trapping),
        Ban(tokens: [".", "first", "!"], instead: trapping),
        Ban(tokens: [".", "last", "!"], instead: trapping),
    ]

    private static let clock = "the WallClock that is passed in"
    private static let randomness = "the RandomSource that is passed in"
    private static let waiting = "a condition, or a clock that the test moves"
    private static let trapping = "an error, or a precondition for an invariant of our own"

    /// The few places where the outside world comes in: path, then what it may call and why.
    static let wiring: [String: (calls: Set<String>, reason: String)] = [
        "Sources/counterfoil/CommandLine/SystemClock.swift": (
            calls: ["clock_gettime("], reason: "the program's one clock, which it hands down"
        ),
        "Sources/counterfoil/Demo/DemoStage.swift": (
            calls: ["Task.sleep"], reason: "the demo waits for another process to answer"
        ),
        "Sources/counterfoil/Simulate/Pause.swift": (
            calls: ["Task.sleep"], reason: "answers of the simulated store that shall come late"
        ),
    ]

    static func findings(
        _ file: SourceFile,
        wiring: [String: (calls: Set<String>, reason: String)] = BannedCalls.wiring
    ) -> [Finding] {
        guard file.isSwift, file.isInSources || file.path.hasPrefix("Tests/") else { return [] }
        let excused = wiring[file.path]?.calls ?? []
        return bans.filter { file.isInSources || $0.alsoInTests }.flatMap { ban -> [Finding] in
            guard !excused.contains(ban.spelling) else { return [] }
            return file.positions(of: ban.tokens)
                .filter { !isOther(in: file.code, at: $0) }
                .map { position in
                    file.finding(
                        file.code[position].line, "\(ban.spelling) is not used: take \(ban.instead)"
                    )
                }
        }
    }

    /// A member or a declaration of that name is somebody else's function.
    private static func isOther(in code: [Token], at position: Int) -> Bool {
        guard position > 0, code[position].kind == .word else { return false }
        return code[position - 1].text == "." || code[position - 1].text == "func"
    }

    /// Entries that no file needs any more.
    static func staleEntries(_ files: [SourceFile]) -> [String] {
        wiring.keys.sorted().flatMap { path -> [String] in
            guard let file = files.first(where: { $0.path == path }) else { return [path] }
            let used = Set(
                findings(file, wiring: [:]).compactMap { finding in
                    bans.first { finding.message.hasPrefix($0.spelling + " ") }?.spelling
                })
            return (wiring[path]?.calls ?? []).subtracting(used).sorted().map { "\(path): \($0)" }
        }
    }
}
