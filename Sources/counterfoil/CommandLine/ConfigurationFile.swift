// SPDX-License-Identifier: Apache-2.0

import CounterfoilServer

/// The configuration as a command finds it.
enum ConfigurationFile {
    static let option = CommandSyntax.Option.value(
        "--config", "FILE", "The configuration, \(defaultName) if not given.")

    static let defaultName = "counterfoil.json"

    /// Reads the file that the arguments name; its paths become ones that can be opened from here.
    static func load(_ arguments: Arguments) throws -> ServerConfiguration {
        let name = arguments.value("--config") ?? defaultName
        var configuration = try ServerConfiguration(
            reading: InputFile.bytes(of: name), name: name)
        let folder = name.lastIndex(of: "/").map { String(name[...$0]) } ?? ""
        func resolved(_ path: String) -> String { path.hasPrefix("/") ? path : folder + path }
        configuration.databasePath = resolved(configuration.databasePath)
        for index in configuration.apps.indices {
            let app = configuration.apps[index]
            configuration.apps[index].cataloguePath = resolved(app.cataloguePath)
            if case .simulated(let files) = app.store {
                configuration.apps[index].store = .simulated(rootFiles: files.map(resolved))
            }
        }
        return configuration
    }
}
