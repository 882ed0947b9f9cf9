// SPDX-License-Identifier: Apache-2.0

package import CounterfoilCore
package import CounterfoilDatabase
import CounterfoilStore

/// Turns evidence into goods, once.
///
/// Everything that it needs from the world comes in here, so that a simulation can own all of it.
package final class Engine: Sendable {
    package let database: any Database
    package let clock: any WallClock
    package let random: any RandomSource

    /// What apps' owners decided, as it stands now: a catalogue may be replaced while the server runs.
    package var policies: [AppID: AppPolicy] { policyTable.all }
    let policyTable: PolicyTable

    /// Names this database; every event carries it.
    package let epoch: UniqueID

    /// Whether events get their numbers after the commit, by ``numberEvents()``, since this database
    /// lets several transactions write at the same time.
    package let numbersEventsApart: Bool

    /// What was handed in lately and is stored.
    let recentEvidence = RecentEvidence(limit: Limits.recentEvidence)

    /// The writes that name themselves and are on their way.
    let runningKeys = RunningKeys()
    let idempotencySweep = Interval(Limits.idempotencySweepInterval)

    /// Told whenever work was put off to a job.
    let jobSignal: @Sendable () -> Void

    /// Told whenever an event may have been published that is not numbered yet.
    let eventSignal: @Sendable () -> Void

    /// Told whenever there may be something to send to an endpoint.
    let courierSignal: @Sendable () -> Void

    /// Told whenever a job did not do its work and was put off.
    let onJobFailure: @Sendable (JobFailure) -> Void

    /// Brings the schema up to date and owes the work that a changed catalogue allows.
    ///
    /// - Parameters:
    ///   - jobSignal: Called after a commit that owes a job; it must not wait.
    ///   - eventSignal: Called after a commit that may have published an event, where
    ///     ``numbersEventsApart`` holds; it must not wait.
    ///   - courierSignal: Called after a commit that may have given an endpoint something to be sent; it
    ///     must not wait.
    ///   - onJobFailure: Called after a job was put off; it must not wait.
    /// - Throws: ``DatabaseError``; ``AppWorldError`` for an app that was born in another world.
    package static func open(
        _ database: any Database, policies: [AppPolicy], clock: any WallClock,
        random: any RandomSource, jobSignal: @escaping @Sendable () -> Void,
        eventSignal: @escaping @Sendable () -> Void = {},
        courierSignal: @escaping @Sendable () -> Void = {},
        onJobFailure: @escaping @Sendable (JobFailure) -> Void = { _ in }
    ) async throws -> Engine {
        try await database.migrate(Schema.migrations, at: clock.now)
        let fresh = UniqueID.timeOrdered(at: clock.now, random: random)
        let (epoch, isApart) = try await database.write { transaction -> (UniqueID, Bool) in
            try checkWorlds(of: policies, in: transaction)
            return (try transaction.ensureEpoch(fresh: fresh), !transaction.hasSingleWriter)
        }
        let engine = Engine(
            database: database, policies: policies, clock: clock, random: random, epoch: epoch,
            numbersEventsApart: isApart, jobSignal: jobSignal, eventSignal: eventSignal,
            courierSignal: courierSignal, onJobFailure: onJobFailure)
        // Also where events are numbered as they are published: what another engine left over comes
        // first.
        try await engine.numberEvents()
        try await engine.reconsiderParked()
        return engine
    }

    /// An app that ever sold in a simulated store never sells in Apple's, nor the other way round: the
    /// first start records which it is.
    private static func checkWorlds(
        of policies: [AppPolicy], in transaction: any WriteTransaction
    ) throws {
        for policy in policies {
            let world = policy.isSimulated ? "simulated" : "apple"
            let recorded = try transaction.ensureWorld(world, of: policy.app)
            guard recorded == world else {
                throw AppWorldError(app: policy.app, recorded: recorded)
            }
        }
    }

    private init(
        database: any Database, policies: [AppPolicy], clock: any WallClock,
        random: any RandomSource, epoch: UniqueID, numbersEventsApart: Bool,
        jobSignal: @escaping @Sendable () -> Void, eventSignal: @escaping @Sendable () -> Void,
        courierSignal: @escaping @Sendable () -> Void,
        onJobFailure: @escaping @Sendable (JobFailure) -> Void
    ) {
        self.database = database
        self.clock = clock
        self.random = random
        policyTable = PolicyTable(policies)
        self.epoch = epoch
        self.numbersEventsApart = numbersEventsApart
        self.jobSignal = jobSignal
        self.onJobFailure = onJobFailure
        self.courierSignal = courierSignal
        self.eventSignal = { numbersEventsApart ? eventSignal() : courierSignal() }
    }

    /// A new id of ours.
    func freshID() -> UniqueID {
        UniqueID.timeOrdered(at: clock.now, random: random)
    }
}

/// That an app's books belong to another world than its configuration says.
package struct AppWorldError: Error, CustomStringConvertible {
    let app: AppID
    let recorded: String

    package var description: String {
        "the app \"\(app)\" was born \(recorded == "simulated" ? "in a simulated store" : "for Apple's store") "
            + "and stays so; give the other one an id of its own"
    }
}
