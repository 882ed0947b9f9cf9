// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilEngine
import CounterfoilReferenceModel
package import CounterfoilSimulator
import CounterfoilTestSupport

/// What a seed led to.
package struct SimulationOutcome: Sendable {
    package let seed: UInt64
    package let steps: Int
    package let commits: Int
    package let crashes: Int
    package let submissions: Int

    /// Equal for every run of the seed.
    package let trace: UInt64

    /// What broke, at the last step; empty if nothing did.
    package let findings: [String]

    /// The end of the trace, for a failure.
    package let lastLines: [String]
}

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

    /// The places where a server runs, two where several share the database.
    private(set) var servers: [Server?]
    private let isShared: Bool
    private let authority: Authority
    private let folder = TemporaryFolder(inMemory: true)
    private let reader: BooksReader
    private var model: ReferenceModel
    private var edition = 0
    private var findings: [String] = []
    private var acknowledged: [(id: UniqueID, answer: Answer)] = []
    private var commits = 0
    private var crashes = 0
    private var lastRow: Int64 = 0
    private var knownTokens: Set<String> = []
    private var isDirty = false

    static let start = TestAuthority.clock.now
    static let deliverFrom = start - .seconds(86_400)

    package init(seed: UInt64, authority: Authority, isTraceKept: Bool = false) throws {
        self.seed = seed
        self.authority = authority
        scheduler = Scheduler(seed: seed, start: Self.start)
        faults = Faults(scheduler)
        store = AppStore(authority: authority, scheduler: scheduler)
        network = Network(scheduler: scheduler, faults: faults)
        trace = Trace(isKept: isTraceKept)
        clients = (1...4).map { Client("u\($0)") }
        isShared = seed.isMultiple(of: 2)
        servers = Array(repeating: nil, count: isShared ? 2 : 1)
        let first = try Shop.policy(
            Shop.editions[0], deliverFrom: Self.deliverFrom, authority: authority)
        model = ReferenceModel(
            assortment: first.assortment,
            deliverFrom: Self.deliverFrom.millisecondsSinceEpoch)
        // The reader finds the file that a first server made.
        try BooksReader.create(at: folder.file("books.db"))
        reader = try BooksReader(path: folder.file("books.db"))
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
        scheduler.cancelTimers()
        for server in servers { try server?.bury() }
        try reader.close()
        return SimulationOutcome(
            seed: seed, steps: scheduler.steps, commits: commits, crashes: crashes,
            submissions: Int(lastRow), trace: trace.fingerprint.value, findings: findings,
            lastLines: trace.lastLines)
    }

    // MARK: The server

    private func startServer(at place: Int) throws {
        let (policy, assortment) = try Shop.policy(
            Shop.editions[edition], deliverFrom: Self.deliverFrom, authority: authority)
        model.started(with: assortment)
        let server = try Server(
            path: folder.file("books.db"), policy: policy, scheduler: scheduler, faults: faults,
            hasSingleWriter: !isShared
        ) { [unowned self] in
            isDirty = true
        }
        server.isResting = !faults.areOn
        servers[place] = server
        server.start()
        note("server \(place) starts with edition \(edition)")
    }

    /// A process ends where it stands.
    func crash() {
        servers[scheduler.number(below: servers.count)]?.process.crash()
    }

    /// All processes end, and the next start reads the next edition of the catalogue.
    func changeEdition() {
        edition = min(edition + 1, Shop.editions.count - 1)
        for server in servers { server?.process.crash() }
    }

    /// Starts dead servers again, some time after they died.
    private func reviveServers() throws {
        for (place, dead) in servers.enumerated() {
            guard let dead, !dead.process.isAlive else { continue }
            try dead.bury()
            servers[place] = nil
            crashes += 1
            note("server \(place) died")
            scheduler.after(Int64(scheduler.number(below: 5000))) { [unowned self] in
                do {
                    try startServer(at: place)
                } catch {
                    findings.append("the server cannot start: \(error)")
                }
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
            customer: customer,
            proof: evidence.meaning.isReceipt
                ? .receipt(evidence.text) : .signedTransaction(evidence.text),
            claimedTransactionID: parcel.claim.flatMap { try? TransactionID($0) },
            claimedProductID: nil, address: "192.0.2.1")
        anyServer?.submit(submission) { [unowned self] outcome in
            let answer = Answer(
                status: outcome.decision.status.rawValue,
                reason: outcome.decision.reason?.rawValue,
                client: outcome.decision.client.rawValue)
            replied(answer, to: outcome.submissionID)
            network.carry { [unowned self] in received(answer, number, of: client) }
        }
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

    func note(_ line: String) {
        trace.add("\(scheduler.steps) \(scheduler.now): \(line)")
    }

    // MARK: Looking at the books

    /// Holds the books against the model, if anything was committed.
    private func look() throws {
        if isDirty {
            isDirty = false
            commits += 1
            let isJob = try !recordSubmissions() && !recordTokens()
            findings += model.owes(try jobs())
            let (books, digest) = try reader.books()
            trace.add("books \(digest)")
            findings += model.observe(books, isJob: isJob)
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
            let finding = model.submitted(
                evidence.meaning, by: submission.customer, claiming: submission.claim,
                answer: submission.answer)
            if let finding { findings.append(finding) }
        }
        return !fresh.isEmpty
    }

    private func recordTokens() throws -> Bool {
        let fresh = try reader.tokens().filter { knownTokens.insert($0.token).inserted }
        for (token, customer) in fresh {
            note("\(token) names \(customer)")
            model.registered(token, for: customer)
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
        for _ in 0..<Self.restingRounds {
            try stepUntilIdle()
            guard findings.isEmpty else { return }
            if servers.allSatisfy({ $0?.isReady == true }), try jobs().isEmpty { break }
            // Past the longest pause of a job, and past any lease.
            scheduler.advance(by: 2 * 3_600_000)
            for server in servers { server?.runJobs() }
        }
        guard try jobs().isEmpty else {
            findings.append("P2: a job stays owed for ever")
            return
        }
        findings += model.observeAtRest(try reader.books().books)
        for (id, answer) in acknowledged {
            if try reader.answer(of: id) != answer {
                findings.append("P2: the answer \(answer) is no longer in the books")
            }
        }
    }

    private static let restingRounds = 40

    private func stepUntilIdle() throws {
        while findings.isEmpty, scheduler.step() { try look() }
    }
}
