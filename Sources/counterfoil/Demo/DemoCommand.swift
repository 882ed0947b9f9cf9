// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilHTTPClient

/// `counterfoil demo`: a story that a person can follow, against a real server.
enum DemoCommand: Command {
    static let syntax = CommandSyntax(
        name: "demo",
        summary: "Play a story against a server of its own, with a simulated App Store.",
        operands: .none,
        options: [
            .value("--folder", "DIR", "Where books and keys lie; by default var."),
            .value("--port", "PORT", "The server's port on 127.0.0.1; by default 8480."),
            .flag("--exit", "End after the story instead of staying up."),
        ],
        notes: ["Exit status: 0 if every step came out right, else 1."])

    static func run(_ arguments: Arguments, in surroundings: Surroundings) async throws -> ExitCode
    {
        guard let port = UInt16(arguments.value("--port") ?? "8480"), port > 0 else {
            throw UsageError("--port takes a number from 1 to 65535")
        }
        guard LocalPort.isFree(port) else {
            throw ServerProcess.Failure(
                description: "port \(port) is in use by another program; --port chooses another")
        }
        let stop = StopSignal()
        let folder = try DemoFolder(
            arguments.value("--folder") ?? "var", port: port, clock: surroundings.clock)
        let key = try await folder.makeKey(clock: surroundings.clock)
        let narrator = Narrator(surroundings.console)
        let transport = try HTTPClient()
        let address = "http://127.0.0.1:\(port)"
        let client = DemoClient(address: address, key: key, transport: transport)
        let stage = try DemoStage(folder, client)
        narrator.say("Counterfoil's demo: books in \(folder.path), server on \(address)")
        try await stage.start()
        let sales = DemoSales(authority: folder.authority, now: surroundings.clock.now)
        let story = DemoStory(client: client, sales: sales, narrator: narrator)
        try await story.tellDeliveries()
        try await story.tellRefusals()
        try await story.tellRefund()
        try await story.tellCrash(
            acknowledgements: folder.acknowledgements, kill: { stage.kill() },
            restart: { try await stage.start() })
        let failures = narrator.failureCount
        narrator.say(
            failures == 0 ? "\nEvery step came out right." : "\n\(failures) things went wrong.")
        if !arguments.has("--exit") {
            try invite(story, folder, address, key)
            await stop.wait()
        }
        let endedWell = stage.stop()
        await transport.close(gracePeriod: .zero)
        return narrator.failureCount == 0 && endedWell ? .success : .failure
    }

    /// Tells what can be tried while the server stays up.
    private static func invite(
        _ story: DemoStory, _ folder: DemoFolder, _ address: String, _ key: String
    ) throws {
        let sample = try story.sales.signed(story.sales.coins(5000), for: "carol")
        try OutputFile.write(sample.text, to: folder.samplePurchase)
        try OutputFile.write(
            sample["signed_transaction"]?.string ?? "", to: folder.sampleTransaction)
        let program = Swift.CommandLine.arguments.first ?? "counterfoil"
        story.narrator.say(
            """

            The server is still up. Try it in a second terminal, in the folder \(WorkingFolder.path):

              curl -sS -H "Authorization: Bearer \(key)" -H "Content-Type: application/json" \\
                --data @\(folder.samplePurchase) \(address)/v1/purchases
              curl -sS -H "Authorization: Bearer \(key)" \(address)/v1/customers/carol
              curl -sS -H "Authorization: Bearer \(key)" "\(address)/v1/grants?limit=1"
              curl -sS -H "Authorization: Bearer \(key)" "\(address)/v1/events?after=0&limit=3"

            The purchase's signature can be looked at without any server:

              \(program) verify --root \(folder.signedDataRoot) \\
                --bundle \(DemoFolder.bundleID) \(folder.sampleTransaction)

            Press Ctrl-C to stop.
            """)
    }
}
