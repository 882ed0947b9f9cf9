// SPDX-License-Identifier: Apache-2.0

package import CounterfoilCore
import CounterfoilDatabase
import CounterfoilEngine
import CounterfoilHTTPClient
import CounterfoilHTTPServer

/// What a server needs from the machine that it runs on.
package struct ServerSurroundings: Sendable {
    package let clock: any WallClock
    package let random: any RandomSource

    /// Returns the bytes of a file that the configuration names.
    package let read: @Sendable (_ path: String) throws -> [UInt8]

    /// Returns the bytes of a file with a secret, if nobody else may read it.
    package let readSecret: @Sendable (_ path: String) throws -> [UInt8]

    /// Takes a line for the log; it must not wait.
    package let log: @Sendable (_ line: String) -> Void

    /// Whether somebody asked to stop while the server still starts.
    package let isStopping: @Sendable () -> Bool

    package init(
        clock: any WallClock, random: any RandomSource,
        read: @escaping @Sendable (_ path: String) throws -> [UInt8],
        readSecret: @escaping @Sendable (_ path: String) throws -> [UInt8],
        log: @escaping @Sendable (_ line: String) -> Void,
        isStopping: @escaping @Sendable () -> Bool = { false }
    ) {
        self.clock = clock
        self.random = random
        self.read = read
        self.readSecret = readSecret
        self.log = log
        self.isStopping = isStopping
    }
}

/// The whole program behind one port: database, engine, jobs and HTTP interface.
package final class RunningServer: Sendable {
    /// How long running requests may take after a stop was asked for.
    private static let gracePeriod = Duration.seconds(10)

    /// How long webhooks that are under way may take then.
    private static let courierGracePeriod = Duration.seconds(5)

    /// The port that it listens on.
    package let port: UInt16

    private let http: HTTPServer
    private let loops: [(loop: JobLoop, task: Task<Void, Never>)]
    private let sending: Sending
    private let database: any Database
    private let engine: Engine
    private let catalogue: Interface.CatalogueSource
    private let log: Log

    /// What sends webhooks.
    private struct Sending {
        let loop: CourierLoop
        let task: Task<Void, Never>
        let courier: Courier
        let client: HTTPClient
    }

    /// Opens the database, brings it up to date and listens. A PostgreSQL that is not there yet is
    /// waited for, a minute at most.
    ///
    /// - Throws: ``ConfigurationError``, ``AppWorldError``, ``DatabaseError`` or ``HTTPServerError``,
    ///   each with a message for the operator.
    package static func start(
        _ configuration: ServerConfiguration, in surroundings: ServerSurroundings
    ) async throws -> RunningServer {
        let policies = try configuration.policies(reading: surroundings.read)
        let log = Log(clock: surroundings.clock, sink: surroundings.log)
        let database = try configuration.database.open(
            isServer: true, random: surroundings.random,
            waitsForServer: { error in
                guard !surroundings.isStopping() else { return false }
                log.waiting(for: error)
                return true
            }, readSecret: surroundings.readSecret)
        do {
            return try await RunningServer(configuration, policies, database, surroundings, log)
        } catch {
            await database.close()
            throw error
        }
    }

    /// Whether an error of ``start(_:in:)`` tells of a mistake in what the operator wrote, so that
    /// starting again cannot help before it is corrected.
    package static func isMistake(_ error: any Error) -> Bool {
        switch error {
        case is ConfigurationError, is AppWorldError: true
        case let error as DatabaseError: error.code == .cannotOpen
        case let error as HTTPServerError:
            [.addressInvalid, .addressUnavailable, .permissionDenied].contains(error.code)
        default: false
        }
    }

    private init(
        _ configuration: ServerConfiguration, _ policies: [AppPolicy], _ database: any Database,
        _ surroundings: ServerSurroundings, _ log: Log
    ) async throws {
        let (clock, random) = (surroundings.clock, surroundings.random)
        let (jobs, numbering, sending) = (try JobLoop(), try JobLoop(), try CourierLoop())
        let engine = try await Engine.open(
            database, policies: policies, clock: clock, random: random, jobSignal: jobs.bell,
            eventSignal: numbering.bell, courierSignal: sending.bell,
            onJobFailure: { log.failed($0) })
        let client = try HTTPClient(configuration: Self.clientConfiguration(configuration))
        let courier = Courier(engine: engine, transport: client, rules: configuration.webhooks) {
            log.failed($0, during: "webhooks")
        }
        for app in try await engine.unconfiguredApps() { log.unconfigured(app) }
        let verifiers = try configuration.customerTokenVerifiers(
            reading: surroundings.read, readingSecret: surroundings.readSecret)
        let catalogue: Interface.CatalogueSource = { app throws(ConfigurationError) in
            try configuration.catalogue(of: app, reading: surroundings.read)
        }
        let metrics = MetricsRegistry()
        let interface = Interface(
            engine: engine, courier: courier, metrics: metrics, log: log, catalogue: catalogue)
        let handler = Self.handler(
            configuration, interface, CustomerDoor(verifiers: verifiers, database: database),
            metrics, surroundings)
        var listen = HTTPServerConfiguration(
            address: configuration.listen.address, port: configuration.listen.port)
        listen.maximumBodyByteCount = configuration.maximumBodyByteCount
        listen.maximumConnectionCount = configuration.maximumConnectionCount
        listen.maximumConnectionCountPerAddress = configuration.maximumConnectionCountPerAddress
        http = HTTPServer(configuration: listen, handler: handler)
        port = try http.start()
        var loops = [
            (
                loop: jobs,
                task: jobs.start {
                    try await engine.runDueJobs()
                    try await engine.settleLapses()
                    try await engine.sweepIdempotencyKeys()
                    try await engine.lapseOrders()
                } onFailure: {
                    log.failed($0, during: "jobs")
                }
            )
        ]
        if engine.numbersEventsApart {
            let task = numbering.start {
                try await engine.numberEvents()
            } onFailure: {
                log.failed($0, during: "numbering")
            }
            loops.append((numbering, task))
        }
        self.loops = loops
        self.sending = Sending(
            loop: sending, task: sending.start(courier), courier: courier, client: client)
        self.database = database
        self.engine = engine
        self.catalogue = catalogue
        self.log = log
        log.started(configuration, port: port)
    }

    private static func handler(
        _ configuration: ServerConfiguration, _ interface: Interface, _ customers: CustomerDoor,
        _ metrics: MetricsRegistry, _ surroundings: ServerSurroundings
    ) -> RoutedHandler {
        let (clock, random, log) = (surroundings.clock, surroundings.random, interface.log)
        let database = interface.engine.database
        let waiting = WaitingWorkMetrics(engine: interface.engine, metrics: metrics)
        let readiness = Readiness(clock: clock) {
            _ = try await database.read { try $0.row("SELECT 1") }
            return true
        }
        let health = Route.health(metrics: metrics, refresh: waiting.refresh) {
            await readiness.isReady()
        }
        return RoutedHandler(
            router: Router(interface.routes + health),
            authenticator: KeyRing(database: database, clock: clock, random: random),
            customers: customers, rates: RateLimiter(configuration.rateLimits, metrics: metrics),
            trustedProxies: configuration.listen.trustedProxies, clock: clock, random: random,
            metrics: RequestMetrics(metrics), log: log,
            onDefect: { log.failed($0, requestID: $1) })
    }

    /// Reads the catalogues of all apps again and goes by those without a fault. One that has a fault
    /// leaves the app with the catalogue that it had.
    package func reloadCatalogues() async {
        for app in engine.policies.keys.sorted() {
            do {
                let fresh = try catalogue(app)
                let isNew = try await engine.replaceCatalogue(of: app, by: fresh)
                log.reloaded(fresh, of: app, isNew: isNew)
            } catch let error as ConfigurationError {
                log.refused(error, of: app)
            } catch {
                log.failed(error, during: "reload")
            }
        }
    }

    /// Stops: no new connections, running requests and the running step of a job finish, and the
    /// database is closed. Whatever was answered is on disk; what is left of a job is given back.
    package func stop() async {
        await http.stop(gracePeriod: Self.gracePeriod)
        await sending.loop.stop(
            sending.task, sending.courier, sending.client, gracePeriod: Self.courierGracePeriod)
        for (loop, task) in loops { await loop.stop(task) }
        await database.close()
        log.stopped()
    }

    /// Endpoints are named by whoever has a key, so that their addresses are guarded.
    private static func clientConfiguration(
        _ configuration: ServerConfiguration
    ) -> HTTPClientConfiguration {
        var client = HTTPClientConfiguration()
        client.userAgent = "Counterfoil/\(Release.version)"
        client.addresses = configuration.webhooks.addresses
        client.maximumRunningCount = Limits.webhooksUnderWay
        client.maximumRunningCountPerHost =
            Int(CounterfoilEngine.Limits.endpointConcurrency.upperBound)
        return client
    }
}
