// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilCrypto
import CounterfoilServer
import CounterfoilStore

/// `counterfoil keys`: who may use the HTTP interface.
enum KeysCommand: Command {
    static let syntax = CommandSyntax(
        name: "keys",
        summary: "Make, list or revoke the keys of an app.",
        operands: .oneOrMore("create|list|revoke [KEY_ID]"),
        options: [
            .value("--app", "ID", "The app, as the configuration names it."),
            .value("--kind", "KIND", "What a new key opens: secret (the default) or client."),
            .value("--label", "TEXT", "What a new key is for, for your own memory."),
            ConfigurationFile.option,
            .flag("--json", "Print JSON."),
        ],
        notes: [
            """
            A key is shown once, when it is made; only its SHA-256 is kept. A secret key opens
            everything of its app, so it belongs on your servers and never into the app itself. A
            client key goes into the app: it opens orders, purchases and reads of the one customer
            whom a customer token or secret names beside it. The server may run meanwhile: a new key
            works and a revoked one fails from the next request on.
            """,
            "Exit status: 0 done, 1 not done, 2 a file cannot be read, 64 usage.",
        ])

    /// The column's width in the database.
    private static let maximumLabelByteCount = 128

    static func run(_ arguments: Arguments, in surroundings: Surroundings) async throws -> ExitCode
    {
        let act = try Act(arguments.operands)
        let configuration = try ConfigurationFile(arguments).configuration
        let name = arguments.value("--app")
        let label = try label(arguments.value("--label"), for: act)
        let kind = try kind(arguments.value("--kind"), for: act)
        if case .create = act { _ = try app(name, among: configuration.apps.map(\.id)) }
        return try await KeyRing.with(
            configuration, clock: surroundings.clock, random: SystemRandom(),
            readSecret: { try InputFile.secret(of: $0) }
        ) { ring in
            // The keys of an app that left the configuration can still be seen and revoked.
            let app = try await app(
                name, among: Set(configuration.apps.map(\.id)).union(ring.knownApps()).sorted())
            let output = KeysOutput(
                console: surroundings.console, app: app, isJSON: arguments.has("--json"))
            switch act {
            case .create:
                let (text, record) = try await ring.create(kind, for: app, label: label)
                output.show(created: record, text: text)
            case .list:
                output.show(try await ring.keys(of: app))
            case .revoke(let id):
                guard try await ring.revoke(id, of: app) else {
                    surroundings.console.complain(
                        "counterfoil keys: \(app) has no key \(id) that could be revoked\n")
                    return .failure
                }
                output.show(revoked: id)
            }
            return .success
        }
    }

    private enum Act {
        case create, list
        case revoke(UniqueID)

        init(_ operands: [String]) throws(UsageError) {
            switch (operands.first, operands.dropFirst().first, operands.count) {
            case ("create", nil, _): self = .create
            case ("list", nil, _): self = .list
            case ("revoke", let text?, 2):
                guard let id = UniqueID(text) else {
                    throw UsageError("\(text) is no key id; keys list shows them")
                }
                self = .revoke(id)
            default:
                throw UsageError("keys takes create, list or revoke KEY_ID")
            }
        }
    }

    private static func app(_ name: String?, among known: [AppID]) throws(UsageError) -> AppID {
        let list = known.map(\.rawValue).joined(separator: ", ")
        guard let name else { throw UsageError("--app is missing; there are: \(list)") }
        guard let app = known.first(where: { $0.rawValue == name }) else {
            throw UsageError("there is no app \(name); there are: \(list)")
        }
        return app
    }

    private static func kind(_ text: String?, for act: Act) throws(UsageError) -> KeyKind {
        guard let text else { return .secret }
        guard case .create = act else { throw UsageError("--kind is for keys create") }
        guard let kind = KeyKind(rawValue: text) else {
            throw UsageError("--kind is secret or client")
        }
        return kind
    }

    private static func label(_ text: String?, for act: Act) throws(UsageError) -> String {
        guard let text else { return "" }
        guard case .create = act else { throw UsageError("--label is for keys create") }
        guard text.utf8.count <= maximumLabelByteCount, !text.utf8.contains(where: { $0 < 0x20 })
        else {
            throw UsageError(
                "--label takes at most \(maximumLabelByteCount) bytes without control characters")
        }
        return text
    }
}
