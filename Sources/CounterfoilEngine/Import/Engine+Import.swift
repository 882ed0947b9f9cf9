// SPDX-License-Identifier: Apache-2.0

package import CounterfoilCore
import CounterfoilCrypto
import CounterfoilDatabase
import CounterfoilStore

/// What became of a file, or would become of it.
package struct ImportReport: Sendable {
    /// The first line that was looked at, from 0; those before it were imported by an earlier run.
    package internal(set) var firstLine = 0

    /// Lines whose content is new.
    package internal(set) var imported = 0

    /// Lines that said what is known already.
    package internal(set) var unchanged = 0

    /// Lines that were not taken, also by earlier runs, as far as they are listed.
    package internal(set) var faults: [ImportFault] = []
    package internal(set) var faultCount = 0

    mutating func add(_ fault: ImportFault) {
        faultCount += 1
        if faults.count < Limits.listedFaults { faults.append(fault) }
    }

    fileprivate mutating func add(_ chunk: ImportReport) {
        imported += chunk.imported
        unchanged += chunk.unchanged
        for fault in chunk.faults { add(fault) }
    }
}

extension ImportReport {
    /// What is kept of it when it has come to a line.
    fileprivate func progress(at line: Int) -> ImportProgress {
        let kept = faults.prefix(Limits.keptFaults).map { fault -> JSONValue in
            [
                "line": .integer(Int64(fault.line)),
                "problem": .string(fault.problem.storable(byteCount: Limits.keptFaultByteCount)),
            ]
        }
        return ImportProgress(
            lines: Int64(line), faultCount: Int64(faultCount), faults: JSONValue.array(kept).text)
    }

    /// Goes on from what an earlier run kept.
    fileprivate init(_ progress: ImportProgress) {
        firstLine = Int(progress.lines)
        let kept = (try? JSONValue(parsing: progress.faults.utf8))?.array ?? []
        faults = kept.compactMap { value in
            guard let line = value["line"]?.int64, let problem = value["problem"]?.string else {
                return nil
            }
            return ImportFault(line: Int(line), problem: problem)
        }
        faultCount = Int(progress.faultCount)
    }
}

/// How far an import is.
package struct ImportStep: Sendable {
    /// How many lines are done.
    package let lines: Int

    /// Which of them were not taken since the last step; in the first step those of earlier runs.
    package let faults: [ImportFault]
}

extension Engine {
    /// Imports a file, some lines in each database transaction, and keeps how far it came: the same file
    /// again goes on where it stopped. A line that is not taken keeps no other from it, and is told by
    /// every run until the file starts over.
    ///
    /// Servers may be at work meanwhile.
    ///
    /// - Parameters:
    ///   - startsOver: Whether to look at all lines again. What is known already stays as it is.
    ///   - isTrial: Whether to say what would happen, and do nothing.
    ///   - onProgress: Told of each step once it is kept.
    package func importFile(
        _ file: ImportFile, to policy: AppPolicy, startsOver: Bool = false, isTrial: Bool = false,
        onProgress: (ImportStep) -> Void = { _ in }
    ) async throws -> ImportReport {
        let importID = Digest.sha256(file.digest + Array(policy.app.rawValue.utf8))
        var report = ImportReport()
        if !startsOver, !isTrial,
            let kept = try await database.read({ try $0.importProgress(importID) })
        {
            report = ImportReport(kept)
        }
        onProgress(ImportStep(lines: report.firstLine, faults: report.faults))
        var next = min(report.firstLine, file.lineCount)
        while next < file.lineCount {
            let end = min(next + Limits.importChunk, file.lineCount)
            let chunk = ImportChunk(
                file, next..<end, policy: policy, freshIDs: (next..<end).map { _ in freshID() },
                epoch: epoch, now: clock.now)
            let before = report
            let part: ImportReport
            if isTrial {
                part = try await database.read { try chunk.check(in: $0) }
            } else {
                part = try await database.write { transaction in
                    let part = try chunk.run(in: transaction)
                    var reached = before
                    reached.add(part)
                    try transaction.keep(
                        reached.progress(at: end), of: importID, policy.app, at: chunk.now)
                    return part
                }
            }
            report.add(part)
            next = end
            onProgress(ImportStep(lines: next, faults: part.faults))
        }
        if !isTrial { jobSignal() }
        return report
    }
}

/// What becomes of a row.
enum ImportOutcome {
    case new, known
    case refused(String)
}

/// Some lines of a file with everything drawn that they need.
private struct ImportChunk: Sendable {
    let rows: [(line: Int, row: Result<ImportRow, ImportFault>, freshID: UniqueID)]
    let policy: AppPolicy
    let epoch: UniqueID
    let now: Instant

    init(
        _ file: ImportFile, _ lines: Range<Int>, policy: AppPolicy, freshIDs: [UniqueID],
        epoch: UniqueID, now: Instant
    ) {
        rows = zip(lines, freshIDs).compactMap { index, freshID in
            file.row(index).map { (line: index + 1, row: $0, freshID: freshID) }
        }
        self.policy = policy
        self.epoch = epoch
        self.now = now
    }

    func check(in transaction: any ReadTransaction) throws -> ImportReport {
        try report { row, _ in try outcome(of: row, in: transaction) }
    }

    func run(in transaction: any WriteTransaction) throws -> ImportReport {
        try holdTransactions(in: transaction)
        try lockWallets(in: transaction)
        return try report { row, freshID in
            let outcome = try outcome(of: row, in: transaction)
            guard case .new = outcome else { return outcome }
            return try keep(row, freshID, in: transaction)
        }
    }

    /// Keeps the transactions from being settled before the word about them counts.
    private func holdTransactions(in transaction: any WriteTransaction) throws {
        var names: [AppStoreEnvironment: Set<TransactionID>] = [:]
        for case .success(.delivery(let id, let environment, _)) in rows.map(\.row) {
            names[environment, default: []].insert(id)
        }
        let sorted = names.sorted { $0.key.rawValue < $1.key.rawValue }
        for (environment, ids) in sorted {
            for id in ids.sorted() { try transaction.holdName(policy.app, environment, id) }
        }
        // Copies of a lasting purchase have names of their own, and are settled under their original.
        for (environment, ids) in sorted {
            for id in ids.sorted() {
                guard let original = try? OriginalTransactionID(id.rawValue) else { continue }
                try transaction.lockOriginal(policy.app, environment, original)
            }
        }
    }

    /// Locks the wallets that get something, as all do: in the order of environments and keys.
    private func lockWallets(in transaction: any WriteTransaction) throws {
        var wallets: [AppStoreEnvironment: Set<UniqueID>] = [:]
        for case .success(.balance(let balance)) in rows.map(\.row) {
            if let key = try transaction.customerKey(policy.app, balance.customer) {
                wallets[balance.environment, default: []].insert(key)
            }
        }
        for (environment, keys) in wallets.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            for key in keys.sorted() {
                try transaction.lockWallet(policy.app, environment, key)
            }
        }
    }

    private func report(
        _ body: (ImportRow, UniqueID) throws -> ImportOutcome
    ) rethrows -> ImportReport {
        var report = ImportReport()
        for (line, row, freshID) in rows {
            switch row {
            case .failure(let fault): report.add(fault)
            case .success(let row):
                switch try body(row, freshID) {
                case .new: report.imported += 1
                case .known: report.unchanged += 1
                case .refused(let problem): report.add(ImportFault(line: line, problem: problem))
                }
            }
        }
        return report
    }

    private func outcome(
        of row: ImportRow, in transaction: any ReadTransaction
    ) throws -> ImportOutcome {
        switch row {
        case .delivery(let id, let environment, let isDelivered):
            guard policy.deliverFrom[environment] != nil else {
                return .refused("deliver_from does not name \(environment)")
            }
            let known = try transaction.formerDelivery(policy.app, environment, id)
            if known == isDelivered { return .known }
            return try settled(id, environment, in: transaction).map { .refused($0) } ?? .new
        case .token(let token, let customer):
            guard let holder = try transaction.customerKey(policy.app, named: token) else {
                return .new
            }
            let isOwn =
                try transaction.customerKey(policy.app, customer) == transaction.current(holder)
            return isOwn ? .known : .refused("the token \(token) names another customer")
        case .balance(let balance):
            return try BalanceImport(balance, policy: policy).outcome(in: transaction)
        }
    }

    /// Why nothing can be said of a transaction any more: its goods were frozen.
    private func settled(
        _ id: TransactionID, _ environment: AppStoreEnvironment,
        in transaction: any ReadTransaction
    ) throws -> String? {
        let record = try transaction.transaction(policy.app, environment, id)
        // A copy may have been settled under the same identity.
        let key =
            try record?.sale
            ?? transaction.saleKey(policy.app, environment, identity: "t:\(id)")
        guard let key else { return nil }
        let sale = SaleReference(app: policy.app, environment: environment, key: key)
        guard let grant = try transaction.grant(sale, revision: 0), grant.goods != nil,
            grant.state != .parked
        else { return nil }
        return "\(id) was settled here before: \(grant.state.rawValue)"
    }

    private func keep(
        _ row: ImportRow, _ freshID: UniqueID, in transaction: any WriteTransaction
    ) throws -> ImportOutcome {
        switch row {
        case .delivery(let id, let environment, let isDelivered):
            try transaction.keep(
                formerDelivery: isDelivered, policy.app, environment, id, at: now)
            let stored = try transaction.transaction(policy.app, environment, id)
            if let stored, stored.parking != nil {
                try transaction.enqueue(FamilyJob(of: stored).record(app: policy.app, at: now))
            }
        case .token(let token, let customer):
            let registration = TokenRegistration(
                app: policy.app, customer: customer, token: token, freshCustomerKey: freshID,
                environments: try environments(waitingFor: token, in: transaction), now: now)
            do {
                _ = try registration.run(in: transaction)
            } catch TokenRefusal.tooMany(let limit) {
                return .refused("the customer has \(limit) tokens, the most that one may have")
            } catch TokenRefusal.takenByAnother {
                return .refused("the token \(token) names another customer")
            }
        case .balance(let balance):
            return try BalanceImport(balance, policy: policy).keep(
                freshCustomerKey: freshID, epoch: epoch, at: now, in: transaction)
        }
        return .new
    }

    /// Where purchases wait for a token; most wait for none, and a job for each would be many.
    ///
    /// One that comes at this moment looks again by itself (`Settler.lookAgain`).
    private func environments(
        waitingFor token: UniqueID, in transaction: any ReadTransaction
    ) throws -> [AppStoreEnvironment] {
        try policy.deliverFrom.keys.sorted { $0.rawValue < $1.rawValue }.filter { environment in
            try !transaction.parkedTransactions(
                policy.app, environment, reason: Reason.unknownToken.rawValue,
                cause: token.description, after: "", limit: 1
            ).isEmpty
        }
    }
}
