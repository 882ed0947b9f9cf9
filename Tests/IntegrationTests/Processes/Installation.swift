// SPDX-License-Identifier: Apache-2.0
import CounterfoilTestSupport
import Foundation

/// Where the tests find what they run: the program that was built with them, and the scripts.
enum Installation {
    /// The folder of the package.
    static let package = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().path

    /// The `counterfoil` program beside the running tests.
    static let program: String = {
        let tests =
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        return URL(fileURLWithPath: tests).deletingLastPathComponent()
            .appendingPathComponent("counterfoil").path
    }()

    /// Runs the checker of the books on a database file and, if given, a client's log.
    static func checkBooks(_ database: String, log: String? = nil) throws -> (
        isBalanced: Bool, output: String
    ) {
        let arguments = ["\(package)/Scripts/check_books.py", database] + (log.map { [$0] } ?? [])
        let (status, output) = try ChildProcess.run(
            "/usr/bin/env", ["python3"] + arguments)
        guard status == 0 || status == 1 else {
            throw ChildProcess.Failure(
                description: "check_books.py ended with \(status): \(output)")
        }
        return (status == 0, output)
    }
}
