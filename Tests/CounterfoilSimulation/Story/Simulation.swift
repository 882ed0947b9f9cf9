// SPDX-License-Identifier: Apache-2.0
import CounterfoilApple
import CounterfoilCore
import CounterfoilEngine
import CounterfoilReferenceModel
package import CounterfoilSimulator
import CounterfoilTestSupport

/// One story of a seed: customers buy, hand in, repeat, confuse and forge; the network loses, the
/// server dies; and after every commit the books are held against the model.
package final class Simulation {
    let seed: UInt64
    let scheduler: Scheduler
    let faults: Faults
    let store: AppStore
    let network: Network
    let trace: Trace
    let clients: [Client]
    let counter = OrderCounter()
    private(set) lazy var game = GameServer(self)

    /// The places where a server runs, two where several share the database.
    private(set) var servers: [Server?]
    private let isShared: Bool

    /// What the studio gets told; nil in stories without webhooks, which take fewer commits.
    private let receiver: Receiver?
    let editions: [(policy: AppPolicy, assortment: Assortment)]
    private let machine: Machine
    private var reader: BooksReader
    private var model: ReferenceModel

    /// The books as they were when they were looked at last.
    private(set) var books = Books()
    private(set) var edition = 0
    private var findings: [String] = []
    private var acknowledged: [(id: UniqueID, answer: Answer)] = []
    private(set) var deliveries: [Replay.Delivery] = []
    private var commits = 0
    private var crashes = 0
    private var lastRow: Int64 = 0
    private var refusals: [String: Int] = [:]
    private(set) var knownTokens: [String: String] = [:]

    static let start = TestAuthority.clock.now
    static let deliverFrom = start - .seconds(86_400)

    package init(seed: UInt64, authority: Authority, isTraceKept: Bool = false) throws {
        self.seed = seed
        scheduler = Scheduler(seed: seed, start: Self.start)
        faults = Faults(scheduler)
        store = AppStore(authority: authority, scheduler: scheduler)
        network = Network(scheduler: scheduler, faults: faults)
        trace = Trace(isKept: isTraceKept)
        clients = (1...4).map { Client("u\($0)") }
        isShared = seed.isMultiple(of: 2)
        receiver = seed.isMultiple(of: 3) ? Receiver() : nil
        servers = Array(repeating: nil, count: isShared ? 2 : 1)
        let rules = Shop.rules(seed)
        editions = try Shop.editions.map {
            try Shop.policy(
                $0, deliverFrom: Self.deliverFrom, rules: rules, authority: authority)
        }
        model = ReferenceModel(
            assortment: editions[0].assortment, numbersApart: seed.isMultiple(of: 2),
            deliverFrom: Self.deliverFrom.millisecondsSinceEpoch, rules: rules)
        machine = Machine(seed: seed)
        // The reader finds the file that a first server made.
        try BooksReader.create(on: machine, hasEndpoint: receiver != nil)
        reader = try BooksReader(on: machine)
    }

    /// Plays the story to its end.
    ///
    /// - Parameter beats: How many things happen in it.
    package func run(beats: Int) throws -> SimulationOutcome {
        for place in servers.indices { try startServer(at: place) }
        let script = Script(self)
        script.play(beats: beats)
        while findings.isEmpty, !script.isOver, scheduler.step() {
            try look()
            if faults.areOn, scheduler.isOne(in: 600) { crash() }
        }
        if findings.isEmpty { try comeToRest() }
        if findings.isEmpty { findings += try differencesByOrder() }
        scheduler.cancelTimers()
        for server in servers { try server?.bury() }
        try reader.close()
        return SimulationOutcome(
            seed: seed, steps: scheduler.steps, commits: commits, crashes: crashes,
            submissions: Int(lastRow),
            movements: model.movements.merging(refusals, uniquingKeysWith: +),
            trace: trace.fingerprint.value, findings: findings,
            lastLines: trace.lastLines)
    }

    // MARK: The server

    private func startServer(at place: Int) throws {
        let (policy, assortment) = editions[edition]
        model.started(with: assortment)
        let server = try Server(
            on: machine, policy: policy, scheduler: scheduler, faults: faults,
            hasSingleWriter: !isShared, receiver: receiver)
        server.isResting = !faults.areOn
        servers[place] = server
        server.start()
        note("server \(place) starts with edition \(edition)")
    }

    /// A process ends where it stands.
    func crash() {
        servers[scheduler.number(below: servers.count)]?.process.crash()
    }

    /// All processes end, and what was not synced is lost.
    func losePower() {
        machine.losePower()
    }

    private func restartMachine() throws {
        note("the power fails")
        for server in servers { server?.process.crash() }
        for (place, server) in servers.enumerated() {
            try server?.bury()
            servers[place] = nil
            plan(place)
        }
        try reader.close()
        machine.restart()
        reader = try BooksReader(on: machine)
    }

    /// All processes end, and the next start reads the next edition of the catalogue.
    func changeEdition() {
        edition = min(edition + 1, editions.count - 1)
        for server in servers { server?.process.crash() }
    }

    /// Starts dead servers again, some time after they died.
    private func reviveServers() throws {
        for (place, dead) in servers.enumerated() {
            guard let dead, !dead.process.isAlive else { continue }
            try dead.bury()
            servers[place] = nil
            note("server \(place) died")
            plan(place)
        }
    }

    /// Plans the next start of a server that died.
    private func plan(_ place: Int) {
        crashes += 1
        scheduler.after(Int64(scheduler.number(below: 5000))) { [unowned self] in
            guard servers[place] == nil else { return }
            do {
                try startServer(at: place)
            } catch {
                findings.append("the server cannot start: \(error)")
            }
        }
    }

    /// A server as a client finds it, up or not.
    var anyServer: Server? { servers[scheduler.number(below: servers.count)] }

    // MARK: Handing in

    /// The client sends a parcel, and again if no answer comes.
    func send(_ number: Int, of client: Client) {
        guard let parcel = client.take(number) else { return }
        note("\(client.name) sends \(parcel.evidence.meaning.name) for \(parcel.claim ?? "-")")
        network.carry { [unowned self] in arrive(parcel, number, of: client) }
        scheduler.after(10_000) { [unowned self] in
            if client.parcels[number]?.attempts == parcel.attempts + 1 { send(number, of: client) }
        }
    }

    private func arrive(_ parcel: Client.Parcel, _ number: Int, of client: Client) {
        let evidence = parcel.evidence
        guard let customer = try? CustomerID(client.name) else { return }
        let submission = Submission(
            customer: customer, evidence: evidence, claim: parcel.claim, order: parcel.order)
        anyServer?.submit(submission) { [unowned self] outcome in
            let answer = Answer(
                status: outcome.decision.status.rawValue,
                reason: outcome.decision.reason?.rawValue,
                client: outcome.decision.client.rawValue)
            replied(answer, to: outcome.submissionID)
            network.carry { [unowned self] in received(answer, number, of: client) }
        }
    }

    /// A client learns of an order that it made, unless the answer is lost.
    func made(_ order: ClientOrder, by client: Client) {
        counter.keep(order)
        note("\(client.name) orders \(order.product): \(order.id)")
        network.carry { client.orders.append(order) }
    }

    /// The server said this; from now on it must stand.
    private func replied(_ answer: Answer, to submission: UniqueID) {
        note("answered \(answer)")
        acknowledged.append((submission, answer))
        do {
            guard try reader.answer(of: submission) != answer else { return }
            findings.append("P2: a submission was answered \(answer) before it was committed")
        } catch {
            findings.append("the books cannot be read: \(error)")
        }
    }

    private func received(_ answer: Answer, _ number: Int, of client: Client) {
        if answer.client == "finish" {
            client.drop(number)
        } else {
            scheduler.after(Int64(scheduler.number(below: 30_000))) { [unowned self] in
                send(number, of: client)
            }
        }
    }

    func asks(_ request: WalletRequest) {
        model.asks(request)
    }

    /// The server answered what its game asked of a wallet; what it did must stand, and what it refused
    /// must be refusable.
    func replied(_ reply: GameServer.Reply, to request: WalletRequest) {
        switch reply {
        case .done(let body):
            note("\(request.name) is done: \(body.text)")
            let balance = ["paid", "bonus", "held", "debt"].map { body[$0]?.int64 ?? .min }
            report(
                model.answered(
                    request, paid: balance[0], bonus: balance[1], held: balance[2],
                    debt: balance[3]))
        case .refused(let refusal):
            note("\(request.name) is refused: \(refusal)")
            guard let words = refusal.inModelsWords else {
                return report("P7: \(request.name) was refused for \(refusal)")
            }
            refusals["refused \(words)", default: 0] += 1
            report(model.refused(request, words, at: scheduler.now))
        }
    }

    func report(_ finding: String?) {
        if let finding { findings.append(finding) }
    }

    func note(_ line: String) {
        trace.add("\(scheduler.steps) \(scheduler.now): \(line)")
    }

    // MARK: Looking at the books

    /// Holds the books against the model, if anything was committed.
    private func look() throws {
        if machine.isDown { try restartMachine() }
        if machine.isChanged {
            machine.isChanged = false
            commits += 1
            findings += machine.complaints
            machine.complaints = []
            let digest: UInt64
            (books, digest) = try reader.books()
            findings += model.paired(books)
            let hasSubmissions = try recordSubmissions()
            let hasTokens = try recordTokens()
            let isJob = !hasSubmissions && !hasTokens
            let jobs = try jobs()
            findings += model.owes(jobs)
            trace.add("books \(digest), jobs: \(jobs.map { "\($0)" }.sorted())")
            findings += model.observe(books, isJob: isJob)
            findings += receiver?.findings ?? []
        }
        try reviveServers()
    }

    private func recordSubmissions() throws -> Bool {
        let fresh = try reader.submissions(after: lastRow)
        for submission in fresh {
            lastRow = submission.row
            guard let evidence = store.signed[submission.evidence] else {
                findings.append("a submission names evidence that nobody sent")
                continue
            }
            note("recorded \(evidence.meaning.name) as \(submission.answer)")
            deliveries.append(
                Replay.Delivery(
                    evidence: evidence, customer: submission.customer, claim: submission.claim))
            let finding = model.submitted(
                evidence.meaning, by: submission.customer, claiming: submission.claim,
                ticketOf: counter.ticketedOrder(of: submission, evidence), answer: submission.answer
            )
            if let finding { findings.append(finding) }
        }
        return !fresh.isEmpty
    }

    private func recordTokens() throws -> Bool {
        let fresh = try reader.tokens().filter { knownTokens[$0.token] == nil }
        for (token, customer, isOrders) in fresh {
            knownTokens[token] = customer
            note("\(token) names \(customer)")
            if isOrders {
                model.ordered(token, for: customer)
            } else {
                model.registered(token, for: customer)
            }
        }
        return !fresh.isEmpty
    }

    /// The jobs in the books, in the model's words.
    private func jobs() throws -> Set<Job> {
        try Set(
            reader.jobs().compactMap { key in
                let parts = key.split(separator: ":", omittingEmptySubsequences: false)
                switch parts.first {
                case "settle_evidence":
                    let digest = parts.last.flatMap { Hexadecimal.bytes(of: $0) } ?? []
                    return .evidence(store.signed[digest]?.meaning.name ?? "of nobody")
                case "settle_parked":
                    return .parked(
                        environment: String(parts[2]), reason: String(parts[3]),
                        cause: parts[4...].joined(separator: ":"))
                case "settle_family":
                    return .family(environment: String(parts[2]), original: String(parts[3]))
                default:
                    return nil
                }
            })
    }

    // MARK: Rest

    /// Lets everything that is owed happen, without faults, and compares what has come of it.
    func comeToRest() throws {
        faults.areOn = false
        note("rest")
        for server in servers { server?.isResting = true }
        for round in 0..<Self.restingRounds {
            try stepUntilIdle()
            guard findings.isEmpty else { return }
            let isReady = servers.allSatisfy { $0?.isReady == true }
            // The first round may have begun while a bell was lost to a fault.
            if round > 0, isReady, try jobs().isEmpty, try areWebhooksSent() { break }
            // Past the longest pause of a job, and past any lease.
            scheduler.advance(by: 2 * 3_600_000)
            for server in servers {
                server?.runJobs()
                server?.numberEvents()
                server?.replayWebhooks()
            }
        }
        guard try jobs().isEmpty else {
            findings.append("P2: a job stays owed for ever")
            return
        }
        if try !areWebhooksSent() { findings.append("P2: a webhook is never sent") }
        findings += model.observeAtRest(try reader.books().books, at: scheduler.now)
        for (id, answer) in acknowledged {
            if try reader.answer(of: id) != answer {
                findings.append("P2: the answer \(answer) is no longer in the books")
            }
        }
    }

    /// Whether the receiver has acted on every event in the books and on nothing else.
    private func areWebhooksSent() throws -> Bool {
        guard let receiver else { return true }
        return try receiver.acts.sorted() == reader.publishedEvents()
    }

    private static let restingRounds = 40

    private func stepUntilIdle() throws {
        while findings.isEmpty, scheduler.step() { try look() }
    }
}
