// SPDX-License-Identifier: Apache-2.0

import CounterfoilServer

/// The configuration that a command goes by, with its paths made right for the working folder.
struct ConfigurationFile: Sendable {
    static let option = CommandSyntax.Option.value(
        "--config", "FILE", "The configuration; by default \(defaultName).")

    static let defaultName = "counterfoil.json"

    let configuration: ServerConfiguration

    /// Reads the file that the option names.
    ///
    /// - Throws: ``InputError`` if it cannot be read or is wrong; every fault is told.
    init(_ arguments: Arguments) throws(InputError) {
        try self.init(path: arguments.value("--config") ?? Self.defaultName)
    }

    init(path: String) throws(InputError) {
        let bytes = try InputFile.bytes(of: path)
        do throws(ConfigurationError) {
            let folder =
                path.contains("/")
                ? String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)]) : ""
            configuration = try ServerConfiguration(reading: bytes, name: path)
                .resolved(in: folder)
        } catch {
            throw InputError(name: path, problem: "is no configuration:\n\(error)")
        }
    }
}
