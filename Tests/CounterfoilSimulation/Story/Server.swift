// SPDX-License-Identifier: Apache-2.0
import CounterfoilApple
import CounterfoilCore
import CounterfoilDatabase
import CounterfoilEngine
import CounterfoilReferenceModel
import CounterfoilStore

/// One life of the server, from a start to a crash.
///
/// `@unchecked Sendable`: used on the scheduler's thread alone, as ``Scheduler`` proves.
final class Server: @unchecked Sendable {
    /// Work that goes in rounds, each begun by a ring.
    private final class Rounds {
        var isRunning = false
        var isRung = false
    }

    let process: SimulatedProcess
    private let database: SimulatedDatabase
    private let policy: AppPolicy
    private let scheduler: Scheduler
    private let clock: SimulatedClock
    private let receiver: Receiver?
    private let faults: Faults
    private var engine: Engine?
    private var courier: Courier?
    private let jobs = Rounds()
    private let events = Rounds()
    private let webhooks = Rounds()

    /// - Parameter receiver: Where webhooks go; nil in stories without any.
    init(
        on machine: Machine, policy: AppPolicy, scheduler: Scheduler, faults: Faults,
        hasSingleWriter: Bool, receiver: Receiver?
    ) throws {
        let process = SimulatedProcess(scheduler)
        self.process = process
        self.policy = policy
        self.scheduler = scheduler
        self.faults = faults
        self.receiver = receiver
        clock = SimulatedClock(scheduler: scheduler)
        database = try SimulatedDatabase(
            on: machine, process: process, clock: clock, faults: faults,
            hasSingleWriter: hasSingleWriter)
    }

    /// Opens the engine; a server that cannot dies, as the program does.
    func start() {
        let random = scheduler.random
        process.run { [self] in
            do {
                let engine = try await Engine.open(
                    database, policies: [policy], clock: clock, random: random,
                    jobSignal: { [self] in runJobs() },
                    eventSignal: { [self] in numberEvents() },
                    courierSignal: { [self] in sendWebhooks() })
                self.engine = engine
                if let receiver {
                    let network = WebhookNetwork(
                        receiver: receiver, process: process, scheduler: scheduler,
                        faults: faults)
                    courier = Courier(
                        engine: engine, transport: network, rules: WebhookRules())
                }
                beat()
            } catch {
                process.crash()
            }
        }
    }

    /// Lets go of the file after a crash; what was not committed is lost.
    func bury() throws {
        process.crash()
        let database = database
        try runInline { await database.close() }
    }

    var isReady: Bool { process.isAlive && engine != nil }

    // MARK: Rounds

    /// The time between two rounds that nobody rang for.
    private static let interval: Int64 = 5000

    private func beat() {
        runJobs()
        numberEvents()
        sendWebhooks()
        scheduler.after(Self.interval) { [weak self] in
            if let self, isReady, !isResting { beat() }
        }
    }

    /// Whether rounds only come by a ring, so that a simulation can run out of steps.
    var isResting = false

    func runJobs() {
        ring(jobs) { engine in
            _ = try await engine.runDueJobs()
            _ = try await engine.lapseOrders()
            try await engine.settleLapses()
        }
    }

    func numberEvents() {
        ring(events) { _ = try await $0.numberEvents() }
    }

    func sendWebhooks() {
        guard let courier else { return }
        ring(webhooks) { _ in _ = try await courier.serveAll() }
    }

    /// Sends at once what waits after a failure.
    func replayWebhooks() {
        guard process.isAlive, let engine, courier != nil else { return }
        process.run {
            let failed = ReplayRequest(
                selection: .failed(since: Simulation.start - .seconds(86_400)), endpoint: nil,
                types: nil)
            _ = try? await engine.replay(failed, of: Shop.app)
        }
    }

    /// Runs a round, and another if somebody rang meanwhile.
    private func ring(_ rounds: Rounds, _ work: @escaping @Sendable (Engine) async throws -> Void) {
        rounds.isRung = true
        guard process.isAlive, !rounds.isRunning, let engine else { return }
        rounds.isRunning = true
        let turn = Turn(rounds)
        process.run { [self] in
            while turn.rounds.isRung {
                turn.rounds.isRung = false
                do {
                    try await work(engine)
                } catch {
                    scheduler.after(1000) { [weak self] in self?.ring(turn.rounds, work) }
                }
            }
            turn.rounds.isRunning = false
        }
    }

    /// `@unchecked Sendable`: used on the scheduler's thread alone, as ``Scheduler`` proves.
    private final class Turn: @unchecked Sendable {
        let rounds: Rounds

        init(_ rounds: Rounds) {
            self.rounds = rounds
        }
    }

    // MARK: Requests

    /// Answers a submission; a server that is down, or fails to store it, does not.
    func submit(_ submission: Submission, reply: @escaping (SubmissionOutcome) -> Void) {
        guard process.isAlive, let engine else { return }
        let answer = Reply(reply)
        process.run { [self] in
            guard let outcome = try? await engine.submit(submission, to: policy) else { return }
            answer.send(outcome)
        }
    }

    /// Makes an order; a server that is down, or fails to store it, does not.
    func order(
        _ product: ProductID, for customer: CustomerID, reply: @escaping (ClientOrder) -> Void
    ) {
        guard process.isAlive, let engine else { return }
        let answer = Reply(reply)
        let request = OrderRequest(
            customer: customer, product: product, quantity: 1, storefront: nil,
            environment: .production, context: nil)
        process.run { [self] in
            let making = engine.making(request, for: policy)
            let made = try? await engine.once(nil) { transaction in
                let order = try making.run(in: transaction).record
                return StoredReply(body: [
                    "order_id": .string(order.orderID.description),
                    "token": .string(order.accountToken.description),
                ])
            }
            guard let body = made?.body, let id = UniqueID(body["order_id"]?.string ?? ""),
                let token = UniqueID(body["token"]?.string ?? "")
            else { return }
            answer.send(
                ClientOrder(
                    id: id, token: token, ticket: making.ticket.text, product: product.rawValue))
        }
    }

    /// Tells an order what a client says of it, or tries to.
    func hint(_ hint: OrderHint, of order: UniqueID) {
        guard process.isAlive, let engine else { return }
        process.run { [self] in
            let hinting = engine.hinting(hint, of: order, to: policy)
            _ = try? await engine.once(nil) { transaction in
                _ = try hinting.run(in: transaction)
                return StoredReply(body: .null)
            }
        }
    }

    /// Does what a game's server asks of a wallet; a server that is down, or fails to store it, does
    /// not answer.
    func operate(_ errand: GameServer.Errand, reply: @escaping (GameServer.Reply) -> Void) {
        guard process.isAlive, let engine else { return }
        let answer = Reply(reply)
        process.run { [self] in
            let operation = engine.walletOperation(
                errand.action, on: errand.customer, in: errand.environment, reason: "a story",
                reference: errand.request.name, under: policy)
            do {
                let done = try await engine.once(errand.key) { transaction in
                    guard let change = try operation.run(in: transaction) else {
                        throw GameServer.NobodyKnown()
                    }
                    return StoredReply(body: GameServer.body(of: change))
                }
                answer.send(.done(done.body))
            } catch let refusal as WalletRefusal {
                answer.send(.refused(refusal))
            } catch {
                // Nobody answers.
            }
        }
    }

    /// Registers a token, or tries to.
    func register(_ token: UniqueID, for customer: CustomerID) {
        guard process.isAlive, let engine else { return }
        process.run { [self] in
            _ = try? await engine.registerToken(token, for: customer, to: policy)
        }
    }
}

/// A way back to a client.
///
/// `@unchecked Sendable`: used on the scheduler's thread alone, as ``Scheduler`` proves.
private final class Reply<Answer>: @unchecked Sendable {
    let send: (Answer) -> Void

    init(_ send: @escaping (Answer) -> Void) {
        self.send = send
    }
}
