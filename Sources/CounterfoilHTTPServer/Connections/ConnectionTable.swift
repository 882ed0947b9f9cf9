// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// All open connections, so that limits and deadlines can be kept and a stop can reach them.
///
/// A connection leaves the table, under its lock, before the library closes the socket: whoever
/// holds the lock may use the sockets of what it finds.
final class ConnectionTable: Sendable {
    enum Admission {
        case admitted, full, addressFull
    }

    private struct Content {
        /// The addresses of all sockets that the library was given.
        var addresses: [Int32: String] = [:]
        var countByAddress: [String: Int] = [:]
        var connections: [ObjectIdentifier: Connection] = [:]
        var isClosing = false

        mutating func release(_ socket: Int32) {
            guard let address = addresses.removeValue(forKey: socket) else { return }
            let left = (countByAddress[address] ?? 1) - 1
            countByAddress[address] = left > 0 ? left : nil
        }
    }

    private let maximumCount: Int
    private let maximumCountPerAddress: Int
    private let content = Mutex(Content())

    init(maximumCount: Int, maximumCountPerAddress: Int?) {
        self.maximumCount = maximumCount
        self.maximumCountPerAddress = maximumCountPerAddress ?? .max
    }

    /// Counts a new connection, if there is room for it.
    func admit(_ socket: Int32, from address: String) -> Admission {
        content.withLock { content in
            // The library closed an earlier one with this number without ever opening it.
            content.release(socket)
            guard content.addresses.count < maximumCount else { return .full }
            let count = content.countByAddress[address] ?? 0
            guard count < maximumCountPerAddress else { return .addressFull }
            content.addresses[socket] = address
            content.countByAddress[address] = count + 1
            return .admitted
        }
    }

    /// The address that an admitted socket leads to.
    func address(of socket: Int32) -> String {
        content.withLock { $0.addresses[socket] ?? "" }
    }

    /// Adds an admitted connection; one that comes after ``close(_:)`` is condemned.
    func insert(_ connection: Connection) {
        content.withLock { content in
            content.connections[ObjectIdentifier(connection)] = connection
            if content.isClosing { _ = connection.condemn(in: .idle) }
        }
    }

    func remove(_ connection: Connection) {
        content.withLock { content in
            content.connections.removeValue(forKey: ObjectIdentifier(connection))
            content.release(connection.socket)
        }
    }

    /// Visits all connections while their sockets are certain to be open.
    func forEach(_ visit: (Connection) -> Void) {
        content.withLock { $0.connections.values.forEach(visit) }
    }

    /// Visits all connections and condemns those that are still to come.
    func close(_ visit: (Connection) -> Void) {
        content.withLock { content in
            content.isClosing = true
            content.connections.values.forEach(visit)
        }
    }
}
