// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
package import CounterfoilDatabase
import CounterfoilStore
import Synchronization

extension Engine {
    /// Runs a write, or gives the answer of the same write again if it was done before.
    ///
    /// The answer is stored in the transaction of the effect and kept for
    /// ``Limits/idempotencyLifetime``. Two servers on one database that get the same key at the same
    /// time have one effect: the second waits for the first and answers as it did.
    ///
    /// - Parameters:
    ///   - key: Nil for a caller who gave none; then every call has its effect.
    ///   - body: May run more than once, as every transaction, so ids are drawn outside. What it throws
    ///     undoes everything, and the key stays free: a refusal is not stored.
    /// - Throws: ``IdempotencyConflict``; ``DatabaseError``; what the body throws.
    package func once(
        _ key: IdempotencyKey?,
        _ body: @escaping @Sendable (any WriteTransaction) throws -> StoredReply
    ) async throws -> StoredReply {
        guard let key else {
            let reply = try await database.write(body)
            signalWork()
            return reply
        }
        guard runningKeys.begin(key) else { throw IdempotencyConflict.stillRunning }
        defer { runningKeys.end(key) }
        let reply = try await database.write { transaction in
            if let earlier = try transaction.earlierReply(to: key) { return earlier }
            let reply = try body(transaction)
            try transaction.keep(reply, for: key)
            return reply
        }
        if !reply.isRepeat { signalWork() }
        return reply
    }

    /// Does work that takes several transactions and that does no harm when it is done again, or gives
    /// the answer of the same work again if it came to its end before.
    ///
    /// The answer is stored behind the work: a crash between leaves the key free, and two servers that
    /// get the same key at the same time both work, so this is for work that finds what it did.
    ///
    /// - Throws: ``IdempotencyConflict``; ``DatabaseError``; what the work throws, which is not stored.
    package func onceDone(
        _ key: IdempotencyKey?, _ work: () async throws -> StoredReply
    ) async throws -> StoredReply {
        guard let key else { return try await work() }
        guard runningKeys.begin(key) else { throw IdempotencyConflict.stillRunning }
        defer { runningKeys.end(key) }
        let earlier = try await database.read { transaction in
            try transaction.idempotencyRecord(
                key.app, key.digest, lifetime: Limits.idempotencyLifetime)
        }
        if let earlier { return try StoredReply(repeating: earlier, to: key) }
        let reply = try await work()
        return try await database.write { transaction in
            if let earlier = try transaction.earlierReply(to: key) { return earlier }
            try transaction.keep(reply, for: key)
            return reply
        }
    }

    /// A write may have owed jobs and published events; rings that find nothing cost little.
    private func signalWork() {
        jobSignal()
        eventSignal()
        courierSignal()
    }

    /// Forgets the answers whose time is over, if it was not tried lately.
    ///
    /// - Returns: How many were forgotten.
    @discardableResult
    package func sweepIdempotencyKeys() async throws -> Int {
        guard idempotencySweep.isDue(at: clock.now) else { return 0 }
        var total = 0
        while !Task.isCancelled {
            let count = try await database.write { transaction in
                try transaction.sweepIdempotencyKeys(
                    lifetime: Limits.idempotencyLifetime, limit: Limits.idempotencySweep)
            }
            total += count
            if count < Int(Limits.idempotencySweep) { break }
        }
        return total
    }
}

extension WriteTransaction {
    /// The stored answer, or nil with the key locked until the transaction ends.
    fileprivate func earlierReply(to key: IdempotencyKey) throws -> StoredReply? {
        let earlier = try takeIdempotencyKey(
            key.app, key.digest, for: key.requestDigest, lifetime: Limits.idempotencyLifetime)
        return try earlier.map { try StoredReply(repeating: $0, to: key) }
    }

    fileprivate func keep(_ reply: StoredReply, for key: IdempotencyKey) throws {
        try keep(
            IdempotencyRecord(
                app: key.app, keyDigest: key.digest, requestDigest: key.requestDigest,
                status: Int64(reply.status), body: reply.body.text))
    }
}

/// The writes that this server works on and that named themselves.
final class RunningKeys: Sendable {
    private let keys = Mutex<Set<[UInt8]>>([])

    /// False if the key is running already.
    func begin(_ key: IdempotencyKey) -> Bool {
        keys.withLock { $0.insert(Self.name(of: key)).inserted }
    }

    func end(_ key: IdempotencyKey) {
        keys.withLock { _ = $0.remove(Self.name(of: key)) }
    }

    private static func name(of key: IdempotencyKey) -> [UInt8] {
        key.digest + Array(key.app.rawValue.utf8)
    }
}

/// Says when something that is done now and then is to be done again.
final class Interval: Sendable {
    private let length: Duration
    private let last = Mutex<Instant?>(nil)

    init(_ length: Duration) {
        self.length = length
    }

    /// Whether the time has come; who is told so has to do it.
    func isDue(at now: Instant) -> Bool {
        last.withLock { last in
            if let last, now >= last, now.since(last) < length { return false }
            last = now
            return true
        }
    }
}
