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
            let earlier = try transaction.takeIdempotencyKey(
                key.app, key.digest, for: key.requestDigest,
                lifetime: Limits.idempotencyLifetime)
            if let earlier {
                guard earlier.requestDigest == key.requestDigest else {
                    throw IdempotencyConflict.keyReused
                }
                return try StoredReply(repeating: earlier.status, earlier.body)
            }
            let reply = try body(transaction)
            try transaction.keep(
                IdempotencyRecord(
                    app: key.app, keyDigest: key.digest, requestDigest: key.requestDigest,
                    status: Int64(reply.status), body: reply.body.text))
            return reply
        }
        if !reply.isRepeat { signalWork() }
        return reply
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
