// SPDX-License-Identifier: Apache-2.0

import CounterfoilServer

/// The configuration that a command goes by, with its paths made right for the working folder.
struct ConfigurationFile: Sendable {
    static let option = CommandSyntax.Option.value(
        "--config", "FILE", "The configuration; by default \(defaultName).")

    static let defaultName = "counterfoil.json"

    let path: String
    let configuration: ServerConfiguration

    /// Reads the file that the option names.
    ///
    /// - Throws: ``InputError`` if it cannot be read or is wrong; every fault is told.
    init(_ arguments: Arguments) throws(InputError) {
        try self.init(path: arguments.value("--config") ?? Self.defaultName)
    }

    init(path: String) throws(InputError) {
        self.path = path
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

    /// Reads every file that the configuration names, and makes nothing.
    ///
    /// - Throws: ``ConfigurationError`` with every fault.
    func check() throws(ConfigurationError) {
        _ = try configuration.policies { try InputFile.bytes(of: $0) }
        switch configuration.database {
        case .sqlite(let file):
            let folder = file.lastIndex(of: "/").map { String(file[..<$0]) } ?? "."
            guard folder.isEmpty || InputFile.isFolder(folder) else {
                throw ConfigurationError("the folder of the database \(file) does not exist")
            }
        case .postgres(let server):
            guard let path = server.passwordPath else { return }
            do throws(InputError) {
                _ = try InputFile.secret(of: path)
            } catch {
                throw ConfigurationError("the password of the database: \(error)")
            }
        }
    }
}
