// SPDX-License-Identifier: Apache-2.0
import CYardsticks
import Glibc

/// The yardstick of row 14.3 on PostgreSQL: recorded statements in a loop written in C, by as many
/// connections as there are clients.
final class PostgresReplay: PurchaseYardstick {
    private let tape: UnsafeMutablePointer<counterfoil_recording>
    private let handle: OpaquePointer
    private var texts: [UnsafeMutablePointer<CChar>?] = []

    /// - Parameter address: A database like the one that the recording was made on, before it.
    init(_ recording: Recording, address: String) throws {
        // C keeps the addresses, so it gets copies that do not move.
        tape = .allocate(capacity: 1)
        tape.initialize(
            to: counterfoil_recording(
                calls: Self.copied(recording.calls), values: Self.copied(recording.values),
                bytes: Self.copied(recording.bytes),
                calls_of_piece: Self.copied(recording.callsOfPiece)))
        guard
            let handle = counterfoil_postgres_replay_open(
                address, tape, recording.callsOfPiece.count)
        else { throw BenchmarkFailure("there is no memory for the yardstick") }
        self.handle = handle
        for statement in recording.statements {
            let text = strdup(statement.text)
            texts.append(text)
            try check(counterfoil_postgres_replay_add(handle, text))
        }
    }

    deinit {
        counterfoil_postgres_replay_close(handle)
        for text in texts { free(text) }
        tape.pointee.calls.deallocate()
        tape.pointee.values.deallocate()
        tape.pointee.bytes.deallocate()
        tape.pointee.calls_of_piece.deallocate()
        tape.deallocate()
    }

    private static func copied<Element>(_ elements: [Element]) -> UnsafePointer<Element> {
        let copy = UnsafeMutablePointer<Element>.allocate(capacity: max(1, elements.count))
        for (index, element) in elements.enumerated() {
            (copy + index).initialize(to: element)
        }
        return UnsafePointer(copy)
    }

    func run(_ count: Int, clients: Int) throws -> Usage {
        var seconds = 0.0
        try check(counterfoil_postgres_replay_run(handle, count, Int32(clients), &seconds))
        return Usage(seconds: seconds, processorSeconds: 0, bytesWritten: 0)
    }

    private func check(_ status: Int32) throws {
        guard status == 1 else {
            let message = counterfoil_postgres_replay_message(handle).map { String(cString: $0) }
            throw BenchmarkFailure("the yardstick's SQL failed: \(message ?? "")")
        }
    }
}
