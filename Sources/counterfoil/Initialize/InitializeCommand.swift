// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilServer

/// `counterfoil init`: the files that an installation starts with.
enum InitializeCommand: Command {
    static let syntax = CommandSyntax(
        name: "init",
        summary: "Write a commented configuration and catalogue to start from.",
        operands: .none,
        options: [
            .value("--folder", "FOLDER", "Where to write; the working folder if not given."),
            .value("--app", "ID", "Your short name of the app; game if not given."),
            .value("--bundle", "ID", "Its bundle id; com.example.game if not given."),
            .value("--apple-id", "N", "Its Apple ID; 1234567890 if not given."),
            .value(
                "--root", "FILE", "Make a simulated app that trusts this root, never Apple's.",
                isRepeatable: true),
        ],
        notes: [
            """
            Writes \(ConfigurationFile.defaultName), \(ConfigurationTemplate.catalogueName) and the
            folder \(ConfigurationTemplate.databaseFolder)/ for the database. Files that exist are
            never overwritten. Purchases made before now count as delivered: see deliver_from.
            """,
            "Exit status: 0 written, 1 not, 2 a file holds no certificate to trust, 64 usage.",
        ])

    static func run(_ arguments: Arguments, in surroundings: Surroundings) throws -> ExitCode {
        let folder = NewFolder(path: arguments.value("--folder") ?? ".")
        let template = try template(arguments, folder, now: surroundings.clock.now)
        try folder.write([
            (ConfigurationFile.defaultName, template.configuration),
            (ConfigurationTemplate.catalogueName, ConfigurationTemplate.catalogue),
        ])
        try folder.make(ConfigurationTemplate.databaseFolder)
        let app = arguments.value("--app") ?? "game"
        surroundings.console.print(
            """
            Wrote \(folder.path(of: ConfigurationFile.defaultName)) and \
            \(folder.path(of: ConfigurationTemplate.catalogueName)).

            Next: look through both, then in that folder

              counterfoil keys create --app \(app)
              counterfoil serve

            """)
        return .success
    }

    private static func template(
        _ arguments: Arguments, _ folder: NewFolder, now: Instant
    ) throws -> ConfigurationTemplate {
        for file in arguments.values("--root") { _ = try InputFile.anchors(in: file) }
        let roots = arguments.values("--root").map(folder.name(of:))
        let number = arguments.value("--apple-id")
        guard number == nil || roots.isEmpty else {
            throw UsageError("--apple-id and --root exclude each other: an app is simulated or not")
        }
        guard let appAppleID = Int64(number ?? "1234567890"), appAppleID > 0 else {
            throw UsageError("--apple-id takes the number that App Store Connect shows")
        }
        do {
            let app = try AppID(arguments.value("--app") ?? "game")
            guard AppConfiguration.isID(app) else {
                throw UsageError("--app \(AppConfiguration.idRule)")
            }
            return ConfigurationTemplate(
                app: app,
                bundleID: try BundleID(arguments.value("--bundle") ?? "com.example.game"),
                store: roots.isEmpty
                    ? .apple(appAppleID: appAppleID) : .simulated(rootFiles: roots),
                deliverFrom: now)
        } catch let error as IdentifierError {
            throw UsageError("\(error)")
        }
    }
}
