// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilCrypto
import CounterfoilHTTPClient
import CounterfoilHTTPServer
import CounterfoilSimulator

/// `counterfoil simulate`: an App Store of one's own.
enum SimulateCommand: Command {
    static let syntax = CommandSyntax(
        name: "simulate",
        summary: "Play the App Store, from a .storekit file.",
        operands: .none,
        options: [
            .value("--storekit", "FILE", "What is sold, as Xcode's StoreKit testing has it."),
            .value("--check", "FILE", "Only read a .storekit file and show what it says."),
            .value("--scenario", "FILE", "Play a story, report, and end."),
            .value(
                "--folder", "FOLDER", "Where roots and keys are kept; simulator if not given."),
            .value("--bundle", "ID", "The app; com.example.game if not given."),
            .value("--app-id", "N", "The app's Apple ID; 1234567890 if not given."),
            .value("--environment", "NAME", "Sandbox (if not given) or Production."),
            .value("--secret", "TEXT", "The shared secret of verifyReceipt."),
            .value("--notify", "URL", "Where notifications are sent."),
            .value("--server", "URL", "The server that a scenario tries."),
            .value("--key", "KEY", "Its secret key."),
            .value("--start", "INSTANT", "The store's time at the start; now if not given."),
            .value("--clock", "MODE", "manual (if not given): it stands until it is moved; real."),
            .value("--port", "N", "Where it listens on loopback; 8490 if not given."),
            .flag("--json", "Print one JSON object, of a check or a scenario."),
        ],
        notes: [
            """
            Roots and keys are made at the first start. A simulated app of the server names
            FOLDER/\(Authority.rootFileNames[0]) and FOLDER/\(Authority.rootFileNames[1]) as its roots;
            nothing that is signed here means anything to an app that trusts Apple.
            """,
            """
            GET /control lists what a test can do: buy, renew, refund, advance and so on. Everybody who
            reaches the port may do it, so it is open on loopback only.
            """,
            """
            Exit status: 0 done, or a scenario came out as expected; 1 not; 2 a file cannot be read or
            has a mistake; 64 usage.
            """,
        ])

    static func run(_ arguments: Arguments, in surroundings: Surroundings) async throws -> ExitCode
    {
        if let name = arguments.value("--check") {
            let report = StoreKitReport(name: name, file: try InputFile.storeKitFile(name))
            surroundings.console.print(
                arguments.has("--json")
                    ? report.json.indentedUTF8 + [0x0A] : Array(report.text.utf8))
            return .success
        }
        if let name = arguments.value("--scenario") {
            return try await ScenarioPlay(name, arguments, surroundings).run()
        }
        guard let name = arguments.value("--storekit") else {
            throw UsageError("simulate needs a file: --storekit, --scenario or --check FILE")
        }
        let options = try SimulateOptions(arguments, clock: surroundings.clock)
        return try await serve(
            options.app(selling: try InputFile.storeKitFile(name)), options, surroundings)
    }

    private static func serve(
        _ app: SimulatedAppStore, _ options: SimulateOptions, _ surroundings: Surroundings
    ) async throws -> ExitCode {
        let console = surroundings.console
        let log: @Sendable (String) -> Void = { console.complain("\($0)\n") }
        let stop = StopSignal()
        let client = try HTTPClient(configuration: HTTPClientConfiguration())
        let host = AppStoreHost(
            app: app,
            courier: NotificationCourier(url: options.notify, transport: client, log: log),
            clock: surroundings.clock, isRealTime: options.isRealTime, pause: Pause.real, log: log)
        var configuration = HTTPServerConfiguration(address: "127.0.0.1", port: options.port)
        configuration.handlerTimeout = .seconds(120)
        let server = HTTPServer(configuration: configuration, handler: host)
        let port = try server.start()
        console.print(
            """
            counterfoil: the App Store of \(options.bundleID) (\(options.environment.rawValue)) is open \
            at http://127.0.0.1:\(port)
            counterfoil: roots and keys in \(options.folder), key id \
            \(app.keys.first?.keyID ?? ""), issuer \(app.keys.first?.issuerID ?? "")

            """)
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                // Time passes by itself, and what a backend asked for is sent.
                while !Task.isCancelled {
                    await Pause.real(.seconds(1))
                    await host.deliverDue()
                }
            }
            await stop.wait()
            group.cancelAll()
        }
        await server.stop(gracePeriod: .seconds(1))
        await client.close(gracePeriod: .seconds(1))
        return .success
    }
}
