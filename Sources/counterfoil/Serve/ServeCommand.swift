// SPDX-License-Identifier: Apache-2.0

import CounterfoilCrypto
import CounterfoilServer

/// `counterfoil serve`: the server, until somebody asks it to stop.
enum ServeCommand: Command {
    static let syntax = CommandSyntax(
        name: "serve", summary: "Run the server.", operands: .none,
        options: [ConfigurationFile.option],
        notes: [
            "SIGTERM and SIGINT stop it: running requests finish first.",
            "Exit status: 0 after a stop, 1 if it could not start, 2 if the configuration is wrong.",
        ])

    static func run(_ arguments: Arguments, in surroundings: Surroundings) async throws -> ExitCode
    {
        let file = try ConfigurationFile(arguments)
        let console = surroundings.console
        let stop = StopSignal()
        let server = try await RunningServer.start(
            file.configuration,
            in: ServerSurroundings(
                clock: surroundings.clock, random: SystemRandom(),
                read: { try InputFile.bytes(of: $0) },
                log: { console.complain("\($0)\n") }))
        let address = file.configuration.listen.address
        let host = address.contains(":") ? "[\(address)]" : address
        console.print("counterfoil: listening on http://\(host):\(server.port)\n")
        await stop.wait()
        console.print("counterfoil: stopping\n")
        await server.stop()
        return .success
    }
}
