// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilHTTP
import CounterfoilHTTPClient
import CounterfoilSimulator

/// One scenario file, played against a server or against the store alone.
struct ScenarioPlay {
    private let name: String
    private let scenario: Scenario
    private let file: StoreKitFile
    private let arguments: Arguments
    private let surroundings: Surroundings

    init(
        _ name: String, _ arguments: Arguments, _ surroundings: Surroundings
    ) throws {
        self.name = name
        self.arguments = arguments
        self.surroundings = surroundings
        let bytes = try InputFile.bytes(of: name)
        do throws(ScenarioError) {
            scenario = try Scenario(parsing: bytes)
        } catch {
            throw InputError(name: name, problem: "is no scenario:\n\(error)")
        }
        let beside = scenario.storeKitFile.map { Self.path(of: $0, beside: name) }
        guard let storeKit = arguments.value("--storekit") ?? beside else {
            throw UsageError("\(name) names no .storekit file, so --storekit has to")
        }
        file = try InputFile.storeKitFile(storeKit)
    }

    func run() async throws -> ExitCode {
        let options = try SimulateOptions(
            arguments, scenario: scenario, clock: surroundings.clock)
        let app = try options.app(selling: file)
        let client = try HTTPClient(configuration: HTTPClientConfiguration())
        let server = arguments.value("--server").map { address in
            TriedServer(
                address: address, key: arguments.value("--key"),
                courier: NotificationCourier(url: options.notify, transport: client) { _ in },
                transport: client)
        }
        var runner = ScenarioRunner(
            app: app, server: server,
            names: ["key": .optional(arguments.value("--key"))], pause: Pause.real)
        let report = await runner.run(scenario)
        await client.close(gracePeriod: .seconds(1))
        surroundings.console.print(
            arguments.has("--json") ? report.json.indentedUTF8 + [0x0A] : Array(report.text.utf8))
        return report.isSuccess ? .success : .failure
    }

    private static func path(of file: String, beside other: String) -> String {
        guard !file.hasPrefix("/"), let slash = other.lastIndex(of: "/") else { return file }
        return other[...slash] + file
    }
}

/// The server that a scenario tries, over the network.
private struct TriedServer: ScenarioServer {
    let address: String
    let key: String?
    let courier: NotificationCourier
    let transport: any HTTPTransport

    private static let deadline = Duration.seconds(30)

    func answer(_ request: ScenarioRequest) async -> HTTPResponse? {
        var headers = request.headers
        if headers["Authorization"] == nil, let key { headers["Authorization"] = "Bearer \(key)" }
        let outgoing = OutgoingRequest(
            method: request.method, url: address + request.target, headers: headers,
            body: request.body)
        return try? await transport.send(outgoing, deadline: Self.deadline)
    }

    func deliver(_ body: [UInt8]) async -> SendAttempt.Result {
        await courier.send(body)
    }
}
