// SPDX-License-Identifier: Apache-2.0

import CounterfoilCrypto
import CounterfoilServer

/// `counterfoil serve`: the server, until somebody asks it to stop.
enum ServeCommand: Command {
    static let syntax = CommandSyntax(
        name: "serve", summary: "Run the server.", operands: .none,
        options: [
            ConfigurationFile.option,
            .flag("--check", "Only look whether all files are right; open and make nothing."),
        ],
        notes: [
            """
            SIGTERM and SIGINT stop it: running requests finish first. SIGHUP makes it read the catalogues
            again; one with a fault leaves that app with the catalogue that it had.
            """,
            """
            Exit status: 0 after a stop, or where --check found nothing wrong; 1 if it could not start
            though all files are right (the port is in use, the database does not answer); 2 for a
            mistake in the configuration, a catalogue, a file with roots, the address to listen on, or
            a folder that is missing; 64 usage.
            """,
        ])

    /// What it says once its port is open.
    static let listening = "listening on"

    static func run(_ arguments: Arguments, in surroundings: Surroundings) async throws -> ExitCode
    {
        let file = try ConfigurationFile(arguments)
        let console = surroundings.console
        guard !arguments.has("--check") else {
            do throws(ConfigurationError) {
                try file.check()
            } catch {
                throw InputError(name: file.path, problem: "leads to faults:\n\(error)")
            }
            console.print("\(file.path) and the files that it names are right.\n")
            return .success
        }
        let stop = StopSignal()
        let hangup = HangupSignal()
        let server: RunningServer
        do {
            server = try await RunningServer.start(
                file.configuration,
                in: ServerSurroundings(
                    clock: surroundings.clock, random: SystemRandom(),
                    read: { try InputFile.bytes(of: $0) },
                    readSecret: { try InputFile.secret(of: $0) },
                    log: { console.complain("\($0)\n") },
                    isStopping: { [flag = stop.flag] in flag.isRaised }))
        } catch  where RunningServer.isMistake(error) {
            throw InputError(name: file.path, problem: "leads to faults:\n\(error)")
        }
        let address = file.configuration.listen.address
        let host = address.contains(":") ? "[\(address)]" : address
        console.print("counterfoil: \(listening) http://\(host):\(server.port)\n")
        let reloading = hangup.onEach { await server.reloadCatalogues() }
        await stop.wait()
        hangup.end()
        await reloading.value
        console.print("counterfoil: stopping\n")
        await server.stop()
        return .success
    }
}
