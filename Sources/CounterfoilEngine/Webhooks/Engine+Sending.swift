// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilDatabase
import CounterfoilStore

extension Engine {
    /// That another server has the endpoint by now; this one stops without a trace.
    struct EndpointLost: Error {}

    /// Owes the endpoint some of the events that it has not been looked at for yet.
    ///
    /// - Returns: Whether there may be more.
    func fanOut(_ claim: EndpointClaim) async throws -> Bool {
        let isBehind = try await database.read { transaction in
            guard let endpoint = try transaction.endpoint(claim.endpointID) else { return false }
            return try transaction.newestEventNumber(endpoint.app) > endpoint.cursor
        }
        guard isBehind else { return false }
        return try await database.write { transaction in
            guard try transaction.extend(claim, for: Limits.endpointLease),
                let endpoint = try transaction.endpoint(claim.endpointID)
            else { throw EndpointLost() }
            guard endpoint.state == .enabled else { return false }
            let count = try transaction.fanOut(
                to: endpoint, limit: Limits.eventsPerFanOut, at: try transaction.currentTime())
            return count == Int(Limits.eventsPerFanOut)
        }
    }

    /// Takes deliveries whose time has come and notes that they are under way.
    func take(_ claim: EndpointClaim, limit: Int) async throws -> [Consignment] {
        let hasDue = try await database.read { transaction in
            try !transaction.dueDeliveries(
                to: claim.endpointID, at: try transaction.currentTime(), limit: 1
            ).isEmpty
        }
        guard hasDue, limit > 0 else { return [] }
        let chances = (0..<limit).map { _ in
            random.bytes(2).reduce(UInt16(0)) { $0 << 8 | UInt16($1) }
        }
        let now = clock.now
        return try await database.write { transaction in
            try Dispatch(claim: claim, transaction: transaction, now: now).take(chances)
        }
    }

    /// Records what attempts came to.
    func settle(_ claim: EndpointClaim, _ reports: [ConsignmentReport]) async throws {
        let (now, epoch) = (clock.now, epoch)
        try await database.write { transaction in
            try Dispatch(claim: claim, transaction: transaction, now: now)
                .settle(reports, epoch: epoch)
        }
        eventSignal()
    }
}

/// What one server does about the deliveries of an endpoint, inside a database transaction.
private struct Dispatch {
    let claim: EndpointClaim
    let transaction: any WriteTransaction
    let now: Instant

    func take(_ chances: [UInt16]) throws -> [Consignment] {
        let time = try transaction.currentTime()
        guard let endpoint = try transaction.endpoint(claim.endpointID) else {
            throw Engine.EndpointLost()
        }
        var candidates = try transaction.dueDeliveries(
            to: endpoint.endpointID, at: time, limit: Int64(chances.count)
        ).map { try candidate($0, endpoint) }
        // Sales are locked before endpoints.
        let sales = try lockSales(of: candidates.compactMap(\.grantID), of: endpoint.app)
        guard try transaction.extend(claim, for: Limits.endpointLease),
            let current = try transaction.endpoint(claim.endpointID)
        else { throw Engine.EndpointLost() }
        let isPaused = current.pausedUntil.map { $0 > time } ?? false
        let isHeld = try transaction.isHeld(endpoint.app, nil)
        guard current.state == .enabled, !isPaused, !isHeld else { return [] }
        try holdBack(&candidates, of: endpoint.app)
        if let rate = current.rate {
            let allowance = try transaction.allowance(
                of: endpoint.endpointID, rate: rate, at: time)
            candidates = Array(candidates.prefix(Int(clamping: allowance)))
        }
        var consignments: [Consignment] = []
        for (candidate, chance) in zip(candidates, chances) {
            let delivery = candidate.delivery
            let pause = DeliverySchedule.pause(after: delivery.attempts + 1, chance: chance)
            guard
                try transaction.begin(
                    delivery, nextAt: time + (pause ?? Limits.longestWish))
            else { continue }
            if let id = candidate.grantID { try move(sales[id], sending) }
            consignments.append(
                Consignment(
                    delivery: delivery, endpoint: current, body: candidate.body,
                    grantID: candidate.grantID, chance: chance))
        }
        if current.rate != nil {
            try transaction.countRequests(Int64(consignments.count), to: endpoint.endpointID)
        }
        return consignments
    }

    func settle(_ reports: [ConsignmentReport], epoch: UniqueID) throws {
        let app = reports[0].consignment.endpoint.app
        let sales = try lockSales(of: reports.compactMap(\.consignment.grantID), of: app)
        guard try transaction.extend(claim, for: Limits.endpointLease),
            var endpoint = try transaction.endpoint(claim.endpointID)
        else { throw Engine.EndpointLost() }
        let time = try transaction.currentTime()
        var pace = Pace(endpoint)
        for report in reports {
            let verdict = report.verdict
            if let id = report.consignment.grantID {
                try move(sales[id]) { $0.after(verdict.grantResult) }
            }
            let isDead = try record(report, endpoint, at: time)
            pace.heed(verdict, at: time)
            if verdict.result == .gone, endpoint.state == .enabled {
                endpoint.state = .disabled
                endpoint.reason = "webhook.gone"
                endpoint.updatedAt = now
                try transaction.save(endpoint)
            }
            if isDead || verdict.result == .gone {
                try raiseAlarm(
                    isDead ? "webhook.dead_letter" : "webhook.gone", about: report, epoch)
            }
        }
        if pace.hasChanged {
            try transaction.pause(claim, until: pace.pausedUntil, slowdowns: pace.slowdowns)
        }
    }

    /// Writes an attempt down; says whether it was the last one.
    private func record(
        _ report: ConsignmentReport, _ endpoint: EndpointRecord, at time: Instant
    ) throws -> Bool {
        let (delivery, attempt) = (report.consignment.delivery, report.consignment.attempt)
        let record = report.record
        switch report.verdict.result {
        case .delivered:
            try transaction.end(delivery, as: .delivered, record, at: now, time: time)
            return false
        case .rejected:
            try transaction.end(delivery, as: .rejected, record, at: now, time: time)
            return false
        case .interrupted, .gone:
            // It is not the delivery's fault, and costs it no attempt.
            let blocks = blocks(delivery, endpoint, after: delivery.attempts)
            try transaction.putOff(
                delivery, to: time + Limits.pauseAfterInterruption, attempts: delivery.attempts,
                blocks: blocks, record)
            return false
        case .failed:
            try transaction.keep(record, of: delivery, number: delivery.tries + 1)
            let pause = DeliverySchedule.pause(
                after: attempt, chance: report.consignment.chance, wish: report.verdict.wish)
            guard let pause else {
                try transaction.end(delivery, as: .dead, record, at: now, time: time)
                return true
            }
            let blocks = blocks(delivery, endpoint, after: attempt)
            try transaction.putOff(
                delivery, to: time + pause, attempts: attempt, blocks: blocks, record)
            if !blocks { try transaction.promoteNext(after: delivery, at: time) }
            return false
        }
    }

    private func blocks(
        _ delivery: DeliveryRecord, _ endpoint: EndpointRecord, after attempts: Int64
    ) -> Bool {
        delivery.customer != nil
            && (endpoint.isOrdered || attempts < Limits.attemptsBeforePassing)
    }

    // MARK: Candidates

    private struct Candidate {
        let delivery: DeliveryRecord
        let body: [UInt8]
        let product: ProductID?
        let grantID: UniqueID?
    }

    private func candidate(
        _ delivery: DeliveryRecord, _ endpoint: EndpointRecord
    ) throws -> Candidate {
        let found = try transaction.events(
            delivery.app, after: delivery.number - 1, limit: 1
        ).first
        guard let event = found?.event, event.eventID == delivery.eventID else {
            throw DatabaseError(.unexpectedValue, "the event of a delivery is not there")
        }
        let customer = try event.customer.flatMap { try transaction.customerID($0) }
        let json = try event.json(customer: customer)
        return Candidate(
            delivery: delivery, body: event.body(of: json), product: event.productID(in: json),
            grantID: endpoint.acknowledges ? event.grantID(in: json) : nil)
    }

    /// Keeps back what a person holds.
    private func holdBack(_ candidates: inout [Candidate], of app: AppID) throws {
        var holds: [ProductID: Bool] = [:]
        try candidates.removeAll { candidate in
            guard let product = candidate.product else { return false }
            let isHeld = try holds[product] ?? transaction.lockDeliveryHold(app, product)
            holds[product] = isHeld
            if isHeld { try transaction.hold(candidate.delivery, product: product) }
            return isHeld
        }
    }

    // MARK: Grants

    /// Locks the sales of grants, in the order of their keys, and finds where each grant is.
    private func lockSales(
        of grants: [UniqueID], of app: AppID
    ) throws -> [UniqueID: (sale: SaleReference, revision: Int64)] {
        var places: [UniqueID: (sale: SaleReference, revision: Int64)] = [:]
        for id in grants {
            guard let grant = try transaction.grant(app, id: id) else { continue }
            places[id] = (grant.sale, grant.revision)
        }
        let sales = Set(places.values.map(\.sale)).sorted {
            ($0.environment.rawValue, $0.key) < ($1.environment.rawValue, $1.key)
        }
        for sale in sales { try transaction.lock(.sale(sale)) }
        return places
    }

    private func move(
        _ place: (sale: SaleReference, revision: Int64)?, _ next: (GrantState) -> GrantState?
    ) throws {
        guard let place,
            var grant = try transaction.grant(place.sale, revision: place.revision),
            let state = next(grant.state), state != grant.state
        else { return }
        grant.state = state
        grant.updatedAt = now
        try transaction.save(grant)
    }

    /// Only what is due is handed over by sending it.
    private func sending(_ state: GrantState) -> GrantState? {
        state == .due ? .sent : nil
    }

    // MARK: Alarms

    /// Tells the operator, once a day for each endpoint; an alarm that does not arrive raises none.
    private func raiseAlarm(
        _ alarm: String, about report: ConsignmentReport, _ epoch: UniqueID
    ) throws {
        let (delivery, endpoint) = (report.consignment.delivery, report.consignment.endpoint)
        guard delivery.type != EventType.operatorAlarm.rawValue else { return }
        let day = now.millisecondsSinceEpoch / 86_400_000
        let id = DerivedID.alarm(alarm, about: endpoint.endpointID, day: day)
        if try transaction.hasEvent(id) { return }
        var data = JSONObject()
        data.append("alarm", .string(alarm))
        data.append("endpoint_id", .string(endpoint.endpointID.description))
        data.append("event_id", .string(delivery.eventID.description))
        data.append("error", .optional(report.verdict.error))
        data.append("status", report.verdict.status.map { .integer($0) } ?? .null)
        try Publisher(transaction: transaction, epoch: epoch, now: now).publish(
            EventDraft(
                id: id, type: .operatorAlarm, app: endpoint.app, environment: delivery.environment,
                customer: nil, data: .object(data)))
    }
}

/// How fast a receiver wants to be served.
private struct Pace {
    private(set) var pausedUntil: Instant?
    private(set) var slowdowns: Int64
    private(set) var hasChanged = false

    init(_ endpoint: EndpointRecord) {
        pausedUntil = endpoint.pausedUntil
        slowdowns = endpoint.slowdowns
    }

    /// Takes in what an answer says about the pace; the last one counts, but requests that were under
    /// way together make the pause longer once.
    mutating func heed(_ verdict: DeliveryVerdict, at time: Instant) {
        if verdict.isOverloaded {
            if !(pausedUntil.map { $0 > time } ?? false) { slowdowns += 1 }
            let end = time + DeliverySchedule.slowdown(after: slowdowns, wish: verdict.wish)
            pausedUntil = max(pausedUntil ?? end, end)
            hasChanged = true
        } else if verdict.result == .delivered || verdict.result == .rejected, slowdowns > 0 {
            (pausedUntil, slowdowns, hasChanged) = (nil, 0, true)
        }
    }
}
