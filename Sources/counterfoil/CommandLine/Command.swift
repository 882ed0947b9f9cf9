// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore

/// One word behind the program's name.
protocol Command: Sendable {
    static var syntax: CommandSyntax { get }

    /// Does the work.
    ///
    /// - Throws: ``UsageError`` for a value of an option that makes no sense, ``InputError`` for a file
    ///   that cannot be read; anything else is reported with its description.
    static func run(_ arguments: Arguments, in surroundings: Surroundings) async throws -> ExitCode
}

/// What a command finds around it, so that a test can put something else there.
struct Surroundings: Sendable {
    let console: Console
    let clock: any WallClock
}

/// What the program tells the shell; documented for each command.
struct ExitCode: Hashable, Sendable {
    let rawValue: Int32

    /// Done; for `verify`, trusted.
    static let success = ExitCode(rawValue: 0)

    /// Not done; for `verify`, refused.
    static let failure = ExitCode(rawValue: 1)

    /// What was given cannot be read.
    static let unreadable = ExitCode(rawValue: 2)

    /// The command line makes no sense (EX_USAGE of sysexits.h).
    static let usage = ExitCode(rawValue: 64)
}
