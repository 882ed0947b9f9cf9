// SPDX-License-Identifier: Apache-2.0
import Foundation

/// What `openssl speed` says about P-256 on this machine; beside our yardstick, for comparison.
struct OpenSSLSpeed {
    let processes: Int
    let perSecond: Double

    /// Runs it for a second; nil where the program is absent or says something unexpected.
    init?(processes: Int) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments =
            ["openssl", "speed", "-seconds", "1"]
            + (processes > 1 ? ["-multi", String(processes)] : []) + ["ecdsap256"]
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return nil }
        let text = String(
            decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        // " 256 bits ecdsa (nistp256)   0.0000s   0.0001s  39200.0  12500.0"
        guard let line = text.split(separator: "\n").last(where: { $0.contains("nistp256") }),
            let last = line.split(separator: " ").last, let rate = Double(last)
        else { return nil }
        self.processes = processes
        perSecond = rate
    }
}
