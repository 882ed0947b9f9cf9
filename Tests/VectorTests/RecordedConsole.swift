// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilTestSupport
import Synchronization

@testable import counterfoil

/// Runs commands in this process and keeps what they write.
struct RecordedRun {
    let exitCode: ExitCode
    let output: String
    let errors: String

    /// Runs the program's words, as if started by a shell.
    init(_ words: String..., at now: Instant) async {
        await self.init(words, at: now)
    }

    init(_ words: [String], at now: Instant) async {
        let written = Written()
        let console = Console { stream, bytes in written.append(bytes, to: stream) }
        exitCode = await Program.run(
            words, in: Surroundings(console: console, clock: FixedClock(now)))
        output = written.text(of: .output)
        errors = written.text(of: .errors)
    }

    /// The output as JSON.
    var json: JSONValue {
        get throws { try JSONValue(parsing: output.utf8) }
    }

    /// The last line of the output.
    var lastLine: String? { output.split(separator: "\n").last.map(String.init) }
}

/// What was written on each side.
private final class Written: Sendable {
    private let streams = Mutex<(output: [UInt8], errors: [UInt8])>(([], []))

    func append(_ bytes: [UInt8], to stream: Console.Stream) {
        streams.withLock { streams in
            if stream == .output { streams.output += bytes } else { streams.errors += bytes }
        }
    }

    func text(of stream: Console.Stream) -> String {
        streams.withLock { streams in
            String(decoding: stream == .output ? streams.output : streams.errors, as: UTF8.self)
        }
    }
}
