// SPDX-License-Identifier: Apache-2.0
import Foundation

/// The program that plays many seeds, as built beside the tests.
enum SimulateProgram {
    static let path: String = {
        let tests =
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        return URL(fileURLWithPath: tests).deletingLastPathComponent()
            .appendingPathComponent("counterfoil-simulate").path
    }()
}
