// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// All open connections, so that limits and deadlines can be kept and a stop can reach them.
///
/// A connection leaves the table, under its lock, before the library closes the socket: whoever
/// holds the lock may use the sockets of what it finds.
final class ConnectionTable: Sendable {
    enum Admission {
        case admitted, full, networkFull
    }

    private struct Content {
        /// The origins of all sockets that the library was given.
        var origins: [Int32: Origin] = [:]
        var countByNetwork: [String: Int] = [:]
        var connections: [ObjectIdentifier: Connection] = [:]
        var isClosing = false
        var highestCount = 0

        mutating func release(_ socket: Int32) {
            guard let network = origins.removeValue(forKey: socket)?.network else { return }
            let left = (countByNetwork[network] ?? 1) - 1
            countByNetwork[network] = left > 0 ? left : nil
        }

        /// The connection that should make place for a newcomer: of the network that holds most, one
        /// that waits, else one that sends a request; the one that will be overdue first.
        func mostDispensable(below newcomerCount: Int) -> (Connection, Connection.Phase)? {
            guard let most = countByNetwork.max(by: { $0.value < $1.value }),
                most.value > newcomerCount + 1
            else { return nil }
            var found: (connection: Connection, phase: Connection.Phase, deadline: UInt64)?
            for connection in connections.values where connection.origin.network == most.key {
                let (phase, deadline) = (connection.phase, connection.deadline)
                guard phase.awaitsBytes else { continue }
                if let best = found {
                    let (isIdle, isBestIdle) = (phase == .idle, best.phase == .idle)
                    guard isIdle == isBestIdle ? deadline < best.deadline : isIdle else { continue }
                }
                found = (connection, phase, deadline)
            }
            return found.map { ($0.connection, $0.phase) }
        }
    }

    private let maximumCount: Int
    private let maximumCountPerNetwork: Int
    private let content = Mutex(Content())

    init(maximumCount: Int, maximumCountPerNetwork: Int?) {
        self.maximumCount = maximumCount
        self.maximumCountPerNetwork = maximumCountPerNetwork ?? .max
    }

    /// Counts a new connection, if there is room for it or `close` can make some.
    func admit(
        _ socket: Int32, from origin: Origin, closing close: (Connection) -> Void
    ) -> Admission {
        content.withLock { content in
            // The library closed an earlier one with this number without ever opening it.
            content.release(socket)
            let count = content.countByNetwork[origin.network] ?? 0
            guard count < maximumCountPerNetwork else { return .networkFull }
            if content.origins.count >= maximumCount {
                guard content.origins.count < maximumCount + Limits.closingConnectionCount,
                    let (connection, phase) = content.mostDispensable(below: count),
                    connection.condemn(in: phase)
                else { return .full }
                close(connection)
            }
            content.origins[socket] = origin
            content.countByNetwork[origin.network] = count + 1
            return .admitted
        }
    }

    /// Where an admitted socket leads to.
    func origin(of socket: Int32) -> Origin {
        content.withLock { $0.origins[socket] } ?? Origin(address: "", network: "")
    }

    /// Adds an admitted connection; one that comes after ``close(_:)`` is condemned.
    func insert(_ connection: Connection) {
        content.withLock { content in
            content.connections[ObjectIdentifier(connection)] = connection
            content.highestCount = max(content.highestCount, content.connections.count)
            if content.isClosing { _ = connection.condemn(in: .idle) }
        }
    }

    func remove(_ connection: Connection) {
        content.withLock { content in
            content.connections.removeValue(forKey: ObjectIdentifier(connection))
            content.release(connection.socket)
        }
    }

    /// The most that were open since this was last asked.
    func takeHighestCount() -> Int {
        content.withLock { content in
            defer { content.highestCount = content.connections.count }
            return content.highestCount
        }
    }

    /// Visits all connections while their sockets are certain to be open.
    func forEach(_ visit: (Connection) -> Void) {
        content.withLock { $0.connections.values.forEach(visit) }
    }

    /// Visits those that wait for bytes of a client that has closed its side.
    func forEachAbandoned(_ visit: (Connection) -> Void) {
        content.withLock { content in
            let waiting = content.connections.values.filter(\.phase.awaitsBytes)
            let ended = MicroHTTPD.endedSockets(waiting.map(\.socket))
            for (connection, isEnded) in zip(waiting, ended) where isEnded { visit(connection) }
        }
    }

    /// Visits one connection if its socket is certain to be open.
    func visit(_ connection: Connection, _ visit: (Connection) -> Void) {
        content.withLock { content in
            content.connections[ObjectIdentifier(connection)].map(visit)
        }
    }

    /// Visits all connections and condemns those that are still to come.
    func close(_ visit: (Connection) -> Void) {
        content.withLock { content in
            content.isClosing = true
            content.connections.values.forEach(visit)
        }
    }
}
