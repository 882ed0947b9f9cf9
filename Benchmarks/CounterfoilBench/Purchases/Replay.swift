// SPDX-License-Identifier: Apache-2.0
import CYardsticks

/// The SQL of purchases without anything of ours around it.
protocol PurchaseYardstick {
    /// Runs the SQL of the next purchases, as for so many clients at once.
    func run(_ count: Int, clients: Int) throws -> Usage
}

/// The yardstick of row 14.3 on SQLite: recorded statements in a loop written in C.
final class Replay: PurchaseYardstick {
    private let recording: Recording
    private let handle: OpaquePointer

    /// Opens a copy of the database that the recording was made on.
    init(_ recording: Recording, path: String) throws {
        guard let handle = counterfoil_replay_open(path) else {
            throw BenchmarkFailure("the yardstick could not open \(path)")
        }
        self.recording = recording
        self.handle = handle
        for statement in recording.statements {
            try check(
                counterfoil_replay_prepare(handle, statement.text, statement.reads ? 1 : 0))
        }
    }

    deinit {
        counterfoil_replay_close(handle)
    }

    /// Commits as many together as there are clients.
    func run(_ count: Int, clients: Int) throws -> Usage {
        let start = try Usage.ofThread()
        try recording.calls.withUnsafeBufferPointer { calls in
            try recording.values.withUnsafeBufferPointer { values in
                try recording.bytes.withUnsafeBufferPointer { bytes in
                    try recording.callsOfPiece.withUnsafeBufferPointer { pieces in
                        var tape = counterfoil_recording(
                            calls: calls.baseAddress, values: values.baseAddress,
                            bytes: bytes.baseAddress, calls_of_piece: pieces.baseAddress)
                        try check(counterfoil_replay_run(handle, &tape, count, clients))
                    }
                }
            }
        }
        return try Usage.ofThread() - start
    }

    private func check(_ status: Int32) throws {
        guard status == 1 else {
            let message = counterfoil_replay_message(handle).map { String(cString: $0) } ?? ""
            throw BenchmarkFailure("the yardstick's SQL failed: \(message)")
        }
    }
}
